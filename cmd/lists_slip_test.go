package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/starter"
)

// A name that is nearly that of a list is asked about before a new list begins.
func TestSlipsInNamesOfLists(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := t.TempDir()
	const files = "version: 1\nname: test\nstatus: live\nrules:\n  - id: hello\n    when: message\n    if: [sender: { not_in_list: [do-not-touch] }]\n" +
		"    then: [{ reply: hello }]\n    limits: { per_person: 9 per 1h }\n"
	if err := os.WriteFile(filepath.Join(dir, "10-a.yaml"), []byte(files), 0o600); err != nil {
		t.Fatal(err)
	}
	answering(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		prints(t, w, "lists add do-not-tuch @ana", 1, `Did you mean "do-not-touch"?`, "nothing was changed")
		prints(t, w, "lists add do-not-touch @ana", 0, "@ana is on the list do-not-touch")
		prints(t, w, "lists add friends @ana", 0, "is on the list friends")
		prints(t, w, "lists add frends @ana --yes", 0, "is on the list frends")
		prints(t, w, "lists do-not-tuch", 1, `did you mean "do-not-touch"?`)
	})
}

// What people of ours write by hand is shown where the conversation is, and lists say when somebody was last seen.
func TestConversationsWithColleagues(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("when do you open tomorrow?")
		ana.Hears()
		w.Account("bot").Tells(ana, "Hi Ana, this is Sam.")
		w.Advance(time.Minute)
		prints(t, w, "conversations show @ana", 0, "you →", `message "Hi Ana, this is Sam."`)
		prints(t, w, "conversations show @ana --json", 0, `"by_hand":{"id":"message:`, `"text":"Hi Ana, this is Sam."`)
		if got := beside(t, w, "conversations", "--taken-over").stdout; strings.Contains(got, " – ") {
			t.Errorf("it is not told when ana was last seen:\n%s", got)
		}
	})
}

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"": true, "bot@social.example": true, "bot+1@social.example": true, "bot@emulator.localhost": true,
		"bot": false, "bot@": false, "bot@social": false, "Bot <bot@social.example>": false, "bot@social.example ": false, "a b@social.example": false,
	} {
		if err := starter.CheckEmail(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
}
