package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

const sayingRules = `version: 1
status: live
defaults: { merge_messages: 0s, reply_after: 0s }
rules:
  - id: prices
    when: [message, mention]
    if: { text: { any_word: [price] } }
    then: [{ reply: "The box is 28." }]
    limits: { per_person: 9 per 12h }
  - id: place
    when: message
    if: { text: { any_word: [place] } }
    then: [{ list: places }, { reply: "We write to you." }]
    limits: { per_person: 9 per 12h }
`

func sayingFolder(t *testing.T, settings string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"10-a.yaml": sayingRules, "settings.yaml": "version: 1\nstop_words: [stop]\n" + settings} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What somebody says through the bot is a word of ours: it ends what waits, the bot is silent there, and whoever has asked for silence hears it only when
// it is meant.
func TestSay(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, sayingFolder(t, ""), func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("do you fix glasses?")
		leo.Says("stop")
		leo.Hears()
		w.Advance(time.Minute)
		prints(t, w, "conversations waiting", 0, "who waits for you: 1", "@ana")
		prints(t, w, `say @ana Ready. --wait 0s --as sam`, 0, "asked for")
		ana.Expects("Ready.")
		w.Advance(time.Minute)
		prints(t, w, "conversations waiting", 0, "who waits for you: 0")
		ana.Says("the price?")
		ana.ExpectsNothing(10 * time.Minute)
		prints(t, w, "conversations waiting", 0, "who waits for you: 1")

		prints(t, w, "say @leo Hello. --wait 0s", 1, "@leo has asked for silence. Say it all the same? [y/N]", "nothing was said")
		leo.ExpectsNothing(time.Minute)
		prints(t, w, "say @leo Hello. --wait 0s --anyway", 0, "asked for")
		leo.Expects("Hello.")

		prints(t, w, "say @ana", 2, "write whom, and the text in quotes")
		prints(t, w, "say @nobody Hi", 1, `nobody is known as "@nobody"`)
	})
}

// What many are told is shown first, bounded, and told to each in a turn that looks once more.
func TestSayToMany(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, sayingFolder(t, "timezone: Europe/Lisbon\nquiet_hours: 22:00-08:00\n"), func(w *bottest.World) {
		people := make([]*bottest.Person, 25)
		for i := range people {
			people[i] = w.Person(fmt.Sprintf("guest%02d", i))
			people[i].Says("a place?")
		}
		w.Advance(5 * time.Minute)
		for _, p := range people {
			p.Hears()
		}
		people[0].Says("stop")
		people[0].Hears()
		w.Account("bot").Tells(people[1], "Hi, this is Sam.")
		w.Advance(time.Minute)

		prints(t, w, "say --list places Free.", 0, "25 people were on the list places of bot; 23 are told: @guest", " and 20 more", "Free.",
			"Write STOP and you get no more messages like this.", "@guest00  has asked for silence", "@guest01  person has the conversation", "Nothing was said. --send says it.")
		prints(t, w, "say --list places Free. --json", 0, `"who":"@guest00","state":"not said","why":"has asked for silence","code":"say.silent"`, `"who":"@guest02","state":"addressed"}`)
		prints(t, w, "say --list nowhere Free.", 1, "nobody was on the list nowhere of bot")
		out := beside(t, w, "say", "--list", "places", "--send", "A place is free.").stdout
		id := regexp.MustCompile(`(say-\w+): it is said`).FindStringSubmatch(out)
		if id == nil {
			t.Fatal(out)
		}
		told := func() int {
			return strings.Count(w.Transcript(), "A place is free.")
		}
		w.Advance(3 * time.Hour)
		if n := told(); n != 20 {
			t.Errorf("%d were told the first day, want 20", n)
		}
		prints(t, w, "say --results "+id[1], 0, "20 said, 3 waiting, 0 not")
		if n := strings.Count(w.Transcript(), "Write STOP"); n != 20 {
			t.Errorf("%d were told how to end it, want 20", n)
		}
		w.Advance(24 * time.Hour)
		if n := told(); n != 23 {
			t.Errorf("%d were told by the second day, want 23", n)
		}
		people[5].ExpectsPart("A place is free.")
		people[5].Says("price?") // the conversations stay with the bot
		people[5].ExpectsPart("The box is 28.")
		people[5].Mentions("@bot the price?")
		people[5].ExpectsReply("The box is 28.")

		// Once in seven days, and never to who has asked for silence since.
		out = beside(t, w, "say", "--list", "places", "--send", "Another one is free.").stdout
		second := regexp.MustCompile(`(say-\w+): it is said`).FindStringSubmatch(out)
		w.Advance(2 * time.Hour)
		prints(t, w, "say --results "+second[1], 0, "not said", "was told something in the last 7 days", "@guest01  said", "1 said, 4 waiting, 19 not")
		prints(t, w, "say --stop "+second[1]+" --wait 0s", 0, "asked for")

		// A correction reaches whom those words have reached, and nobody else.
		prints(t, w, "correct prices --said is28 38.", 1, "nobody was told")
		out = beside(t, w, "correct", "prices", "--said", "is 28", "--send", "We made a mistake: it is 38.").stdout
		if !strings.Contains(out, "2 people were told \"is 28\" by prices on bot; 2 are told: @guest05, @guest05") {
			t.Error(out)
		}
		people[5].Expects("We made a mistake: it is 38.")
		people[5].ExpectsReply("We made a mistake: it is 38.")
	})
}

// What many refuse is said to nobody any more.
func TestSayStopsWhereItIsRefused(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, sayingFolder(t, ""), func(w *bottest.World) {
		const all = 75
		people := make([]*bottest.Person, all)
		for i := range people {
			people[i] = w.Person(fmt.Sprintf("guest%02d", i))
			people[i].Says("a place?")
		}
		w.Advance(5 * time.Minute)
		for i := range 2 {
			w.Platform().SetPrivacy(people[i].ID(), false, true)
		}
		out := beside(t, w, "say", "--list", "places", "--send", "A place is free.").stdout
		id := regexp.MustCompile(`(say-\w+): it is said`).FindStringSubmatch(out)
		if id == nil {
			t.Fatal(out)
		}
		w.Advance(50 * time.Hour)
		prints(t, w, "say --results "+id[1], 0, "48 said, 0 waiting, 27 not", "refused", "too many have refused it: it has stopped")
		prints(t, w, "notices", 0, "2 of 50 have refused it")
	})
}
