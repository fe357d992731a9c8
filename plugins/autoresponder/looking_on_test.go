package autoresponder_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/inspect"
)

const lookingOn = `version: 1
name: test
status: live
rules:
  - id: hello
    when: message
    then: [{ reply: hello }]
    limits: { per_person: 99 per 1h }
  - id: refund
    when: message
    if: [{ text: { any_word: refund } }, { conversation: { owner: anybody } }]
    then:
      - label: refund
      - list: refunds
      - notify: { who: team, text: "a refund for {{first_name|somebody}}" }
  - id: waits
    when: message
    if: { conversation: { owner: anybody } }
    then: [{ notify: { who: team, if_waiting: 30m, text: "nobody answers {{first_name|somebody}}" } }]
`

// While one of our people has a conversation, the bot says nothing there; rules that ask for it keep their books,
// over a crash, too.
func TestLookingOn(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", lookingOn, "settings.yaml", "version: 1\nwho: { team: {} }\n")
	run(t, dir, tuesday, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		ana.Expects("hello")
		w.Account("bot").Tells(ana, "this is Mia, I take this one")
		w.Advance(5 * time.Minute)
		ana.Says("I want a refund, Mia")
		w.Advance(time.Minute)
		w.Crash()
		w.Advance(20 * time.Minute)
		w.Account("bot").Tells(ana, "of course")
		w.Advance(5 * time.Minute)
		ana.Says("and when?")
		ana.ExpectsNothing(time.Hour)
		if got := w.Conversation(ana); got.Owner != "person" || cmp.Diff([]string{"refund"}, got.Labels) != "" {
			t.Errorf("the conversation: %+v", got)
		}
		if log := w.Log(); strings.Count(log, "a refund for Ana") != 1 || strings.Count(log, "nobody answers Ana") != 1 {
			t.Errorf("the team was told otherwise:\n%s", log)
		}
		w.Inspect(func(d inspect.Inspector) {
			entries, err := d.Entries(context.Background(), "bot", "refunds", "", 10)
			if err != nil || len(entries) != 1 || entries[0].Text != "I want a refund, Mia" {
				t.Errorf("the list: %+v, %v", entries, err)
			}
		})
		nothingFailed(t, w)
	})
}
