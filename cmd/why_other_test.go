package cmd

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/why"
)

// told returns the sentence that nectar why prints for machines.
func told(t *testing.T, w *bottest.World, id string) why.JSON {
	t.Helper()
	got := beside(t, w, "why", id, "--json")
	var said why.JSON
	if err := json.Unmarshal([]byte(got.stdout), &said); err != nil || got.status != 0 {
		t.Fatalf("nectar why %s --json: status %d, %v\n%s%s", id, got.status, err, got.stdout, got.stderr)
	}
	return said
}

func TestWhyWithoutRules(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	fails := errors.New("no such table")
	says := func(text string) bot.Matcher[event.Message] {
		return bot.AnyMessage().Where(func(m event.Message) bool { return strings.Contains(m.Text, text) })
	}
	routes := []bot.Route{
		bot.On("greet", says("hello"), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Reply("Hi!") }),
		bot.On("fails", says("fail"), func(context.Context, *bot.Turn, event.Message) error { return fails }),
	}
	bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
		ana, zoe := w.Person("ana"), w.Person("zoe")
		ana.Says("hello")
		ana.Expects("Hi!")
		ana.Says("what?")
		w.Advance(time.Minute)
		zoe.Says("fail")
		w.Advance(10 * time.Minute)
		w.Platform().Say(w.Platform().UserID("bot"), ana.ID(), "it is me, the owner")
		w.Advance(time.Minute)
		ana.Says("hello again")
		w.Advance(time.Minute)
		failed := idOf(t, w, "fail")
		for id, want := range map[string]string{
			idOf(t, w, "hello again"): "Nothing was said: person has the conversation; the bot is silent meanwhile.",
			idOf(t, w, "what?"):       "Nothing was said: neither the program nor the rule files look at anything of the kind.",
			failed:                    "Nothing was said: it failed 5 times and is quarantined. nectar events retry " + failed + " lets it be tried again. Last: try 5: no such table",
			actionOf(t, w, "Hi!").Key: "It was handled by greet, which is a part of the program and no rule.",
		} {
			if said := told(t, w, id); said.Told != want {
				t.Errorf("why %s: %q, want %q", id, said.Told, want)
			}
		}
	})
}

// actionOf returns the action that said something to the first person.
func actionOf(t *testing.T, w *bottest.World, text string) (found event.Action) {
	t.Helper()
	w.Inspect(func(d inspect.Inspector) {
		actions, err := d.Actions(context.Background(), record.ActionQuery{Account: "bot", Peer: w.Person("ana").ID(), Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for i := range actions {
			if actions[i].Text == text {
				found = actions[i]
			}
		}
	})
	if found.Key == "" {
		t.Fatalf("nothing says %q", text)
	}
	return found
}

func TestWhyNothing(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("when do you open tomorrow?")
		ana.ExpectsPart("Mon-Fri")
		last := idOf(t, w, "tomorrow?")
		for _, c := range []struct {
			status   int
			id, want string
		}{
			{1, "message:999999", "there is no event message:999999; the last one of its kind is " + last + ", and nectar events lists them"},
			{1, "message:3", "there is no event message:3: it never came, or is older than what is kept (NECTAR_RETENTION); the last one of its kind is " + last},
			{1, "notif:1", "there is no event notif:1, and none of its kind; nectar events lists what there is"},
			{1, last + "/rules/9", "there is nothing of the id " + last + "/rules/9: nectar outbox --peer @NAME lists what was done with somebody, and nectar why " + last + " tells about an event"},
			{1, "timer:1/rules/burst/1", "there is nothing of the id timer:1/rules/burst/1: nectar outbox --peer @NAME lists what was done with somebody, and nectar why message:501 tells about an event"},
			{2, "mesage:501", `"mesage:501" is no id. Did you mean message:501? (see nectar why --help)`},
			{1, "what", `"what" is no id, and no rule of that name has decided anything that is kept: write an event like message:501, a person like @ana, or a rule of nectar rules`},
			{1, "@nobody", `nobody is known as "@nobody": write a user name like @ana, or a number as nectar conversations shows it`},
			{2, "message:x", `"message:x" is no event id: write it like message:501, notif:77 or mention:88 (see nectar why --help)`},
		} {
			if got := beside(t, w, "why", c.id); got.status != c.status || got.stderr != "nectar: "+c.want+"\n" || got.stdout != "" {
				t.Errorf("nectar why %s: status %d\n%s%swant %s", c.id, got.status, got.stdout, got.stderr, c.want)
			}
		}
		// The last thing that she did, and the last one that a rule decided.
		want := beside(t, w, "why", last)
		for _, id := range []string{"@ana", "opening-hours"} {
			if got := beside(t, w, "why", id); got.status != 0 || got.stdout != want.stdout {
				t.Errorf("nectar why %s: status %d\n%s%s\nwant %s", id, got.status, got.stdout, got.stderr, want.stdout)
			}
		}
		if got := beside(t, w, "why", last, "--all"); !strings.Contains(got.stdout, "did not match: none of any_word is there") || strings.Contains(want.stdout, "did not match") {
			t.Errorf("%s\n%s", want.stdout, got.stdout)
		}
	})
	if got := nectar(t, "why"); got.status != 2 {
		t.Errorf("nectar why: status %d", got.status)
	}
}

func TestWhyGathered(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("are you open?", "STOP")
		w.Advance(time.Minute)
		never := "It waited for what else was written, and was not answered: somebody took the conversation over, or wanted to be left alone."
		if said := told(t, w, idOf(t, w, "are you open?")); said.Told != never {
			t.Errorf("stopped: %s", said.Told)
		}
		leo.Says("opening hours")
		advancesWhile(t, w, func() bool { return lastGathered(w, leo) == "" })
		if said := told(t, w, lastGathered(w, leo)); !strings.HasPrefix(said.Told, "It is not answered yet: it waits until 2027-03-02 ") {
			t.Errorf("waits: %s", said.Told)
		}
		w.Ask(event.Request{Key: event.Key{Account: "bot", Peer: leo.ID()}, Wish: event.WishTakeOver, Owner: "sales"})
		w.Advance(time.Minute)
		if said := told(t, w, lastGathered(w, leo)); said.Told != "Nothing was said: sales has the conversation; the bot is silent meanwhile." {
			t.Errorf("taken over: %s", said.Told)
		}
	})
}

// A private answer is not shown either while it waits to be read.
func TestWhyGatheredPrivately(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		for _, said := range []string{"wedding quote", "14 June", "80"} {
			ana.Says(said)
			ana.Hears()
		}
		before := lastGathered(w, ana)
		ana.Says("ana@example.org")
		advancesWhile(t, w, func() bool { return lastGathered(w, ana) == before })
		for _, form := range [][]string{nil, {"--json"}} {
			got := beside(t, w, append([]string{"why", lastGathered(w, ana)}, form...)...)
			if got.status != 0 || !strings.Contains(got.stdout, "(private)") || strings.Contains(got.stdout, "example.org") {
				t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
			}
		}
	})
}

// lastGathered returns the last message of somebody that was gathered; "" when none was.
func lastGathered(w *bottest.World, p *bottest.Person) (id string) {
	for _, rec := range w.Decisions(p) {
		if rec.Outcome == "gathering" {
			id = rec.Trigger
		}
	}
	return id
}

func TestWhyForMachines(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("when do you open tomorrow?")
		ana.ExpectsPart("Mon-Fri")
		w.Advance(time.Minute)
		said := told(t, w, idOf(t, w, "tomorrow?"))
		by := said.AnsweredBy
		if by == nil || said.Told != "It was answered by the rule opening-hours, 10-faq.yaml line 14." || by.Rule != "opening-hours" || by.File != "10-faq.yaml" || len(by.Tried) != 4 || !by.Tried[0].Won || len(by.Actions) != 1 ||
			len(by.Limits) != 2 || by.After == nil || strings.Join(by.After.Labels, " ") != "faq-hours" || len(by.Differs) > 0 {
			t.Errorf("%+v by %+v", said, by)
		}
		if again := told(t, w, by.ID); again.Text != "when do you open tomorrow?" || again.Rule != "opening-hours" {
			t.Errorf("the turn itself: %+v", again)
		}
	})
}

func TestWhySaysWhenItCannotTell(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Mentions("lovely place, @bot")
		leo.ExpectsLike()
		leo.Mentions("nice, @bot")
		leo.ExpectsLike()
		w.Advance(time.Minute)
		w.Stop()
		change(t, w, `UPDATE event SET rule = 'another' WHERE text LIKE 'nice%'`)
		if got := beside(t, w, "why", idOf(t, w, "nice")); !strings.Contains(got.stdout, "Decided again, it ends otherwise. That should not be: please report it.") ||
			!strings.Contains(got.stdout, "\n  the rule was another, and is like-mentions now\n") {
			t.Errorf("a decision that is another one:\n%s", got.stdout)
		}
		change(t, w, `DELETE FROM rules_version`)
		if got := beside(t, w, "why", idOf(t, w, "lovely")); !strings.Contains(got.stdout, "cannot be told: the rule files of that time are not kept any more.") {
			t.Errorf("without the rules:\n%s", got.stdout)
		}
		change(t, w, `UPDATE event SET rule = '', rules_version = '', before = '', note = ''`)
		if got := told(t, w, idOf(t, w, "lovely")); got.Told != "The rules decided it. How, is not kept any more." {
			t.Errorf("without a trace: %s", got.Told)
		}
	})
}

// change changes the database of a bot that is stopped.
func change(t *testing.T, w *bottest.World, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", w.Database()) // the driver comes with the store
	if err == nil {
		_, err = db.ExecContext(context.Background(), statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
