package cmd

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

var update = flag.Bool("update", false, "write the golden files anew")

const referenceFiles = "../handlers/rules/testdata/reference"

// allLive are the changes that let the reference files act which are on watch, or ask.
var allLive = []string{"status: watch ", "status: live ", "status: ask  ", "status: live "}

// tuesdayAtTen is a working day of the reference files, where the clock shows UTC.
var tuesdayAtTen = time.Date(2027, time.March, 2, 10, 0, 0, 0, time.UTC)

// referenceFolder copies the reference files into a folder. changes are old and new texts, in turn.
func referenceFolder(tb testing.TB, changes ...string) string {
	tb.Helper()
	names, err := os.ReadDir(referenceFiles)
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	for _, n := range names {
		content, err := os.ReadFile(filepath.Join(referenceFiles, n.Name()))
		if err == nil {
			content = []byte(strings.NewReplacer(changes...).Replace(string(content)))
			err = os.WriteFile(filepath.Join(dir, n.Name()), content, 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// answering runs a test with a bot that answers by the files of a folder.
func answering(t *testing.T, dir string, test func(w *bottest.World)) {
	t.Helper()
	bottest.Run(t, bottest.Config{
		Start: tuesdayAtTen,
		Bot:   bot.Config{PollInterval: 20 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: 20 * time.Second, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
	}, test)
}

// beside runs a command on the database of a bot.
func beside(t *testing.T, w *bottest.World, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{
		Args: args, Environ: []string{"NECTAR_STORE=sqlite:" + w.Database()}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
	}
	return result{execute(context.Background(), sh), out.String(), err.String()}
}

// idOf returns the id of the last event that says something.
func idOf(t *testing.T, w *bottest.World, text string) string {
	t.Helper()
	var id string
	w.Inspect(func(d inspect.Inspector) {
		events, err := d.Events(context.Background(), record.EventQuery{Account: "bot", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if e := &events[i]; strings.Contains(e.Text, text) || string(e.Kind) == text {
				id = e.ID.String()
				return
			}
		}
	})
	if id == "" {
		t.Fatalf("no event says %q", text)
	}
	return id
}

// changing are the times and numbers that may be others in the next run.
var changing = []struct {
	what *regexp.Regexp
	by   func(string) string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), func(at string) string {
		t, err := time.ParseInLocation(time.DateTime, at, time.Local)
		if err != nil {
			return at
		}
		return t.UTC().Format(time.DateTime)
	}},
	{regexp.MustCompile(`/\d{16}`), func(string) string { return "/OCCURRENCE" }},
	{regexp.MustCompile(`\.\d+Z"`), func(string) string { return `Z"` }},
	{regexp.MustCompile(`version [0-9a-f]{32}`), func(string) string { return "version HASH" }},
}

// golden compares what was printed with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	for _, c := range changing {
		got = c.what.ReplaceAllStringFunc(got, c.by)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is another one now; go test ./cmd -update writes it anew:\n%s", path, diff)
	}
}

// whys asks about events, and returns all that is printed.
func whys(t *testing.T, w *bottest.World, ids ...string) string {
	t.Helper()
	var all strings.Builder
	for _, id := range ids {
		got := beside(t, w, "why", id)
		if got.status != 0 || got.stderr != "" {
			t.Errorf("nectar why %s: status %d\n%s", id, got.status, got.stderr)
		}
		all.WriteString("$ nectar why " + id + "\n" + got.stdout + "\n")
	}
	return all.String()
}

func TestWhyAnswered(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hey,")
		w.Advance(3 * time.Second)
		ana.Says("when do you open tomorrow?")
		ana.ExpectsPart("Mon-Fri")
		ana.Says("are you open?")
		ana.ExpectsNothing(time.Hour)
		ana.Says("how priceless!")
		ana.ExpectsNothing(time.Hour)
		ana.Says("STOP")
		ana.ExpectsPart("Write START")
		for command, want := range map[string]string{"list": "bot; asked for silence", "show": "owner: bot; asked for silence"} {
			args := []string{"conversations"}
			if command == "show" {
				args = append(args, command, "@ana")
			}
			if got := beside(t, w, args...); !strings.Contains(got.stdout, want) {
				t.Errorf("%s: %s%s", command, got.stdout, got.stderr)
			}
		}
		golden(t, "why_answered.txt", whys(t, w, idOf(t, w, "hey,"), idOf(t, w, "are you open?"), idOf(t, w, "priceless"), idOf(t, w, "STOP")))
	})
}

func TestWhyConversation(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("wedding quote")
		ana.ExpectsPart("What date")
		ana.Says("hm")
		ana.ExpectsPart("could not read")
		ana.Says("14 June")
		ana.ExpectsPart("how many")
		ana.Says("80")
		ana.ExpectsPart("Where may we send")
		ana.Says("write to", "ana@example.org")
		ana.ExpectsPart("To check")
		ana.Says("yes")
		ana.ExpectsPart("Thank you")
		all := whys(t, w, idOf(t, w, "wedding"), idOf(t, w, "hm"), idOf(t, w, "14 June"), idOf(t, w, "(private)"), idOf(t, w, "yes"))
		if strings.Contains(all, "example.org") {
			t.Errorf("a private answer is shown:\n%s", all)
		}
		golden(t, "why_conversation.txt", all)
	})
}

func TestWhyWaits(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t), func(w *bottest.World) {
		leo := w.Person("leo")
		leo.Mentions("lovely place, @bot")
		leo.ExpectsLike()
		leo.Follows()
		leo.Says("hey, when do you open tomorrow?")
		w.Advance(time.Minute)
		var held []event.Action
		w.Inspect(func(d inspect.Inspector) {
			var err error
			if held, err = d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 10}); err != nil || len(held) == 0 {
				t.Fatal(held, err)
			}
		})
		number := regexp.MustCompile(`approve (\d+) lets`).FindStringSubmatch(whys(t, w, held[0].Key))
		if len(number) != 2 || !strings.Contains(whys(t, w, number[1]), held[0].Key) {
			t.Errorf("%s does not tell about %s", number, held[0].Key)
		}
		if got := beside(t, w, "why", "999999999"); got.status != 1 || !strings.Contains(got.stderr, "nothing that is held has the number 999999999; an event is named like message:999999999") {
			t.Errorf("status %d: %s", got.status, got.stderr)
		}
		golden(t, "why_waits.txt", whys(t, w, idOf(t, w, "lovely"), held[0].Key, idOf(t, w, "tomorrow?")))
	})
}

// The rules that decided are told with when they were loaded, and honestly when that was done again since.
func TestWhyTellsWhenRulesWereLoaded(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		w.Advance(time.Minute)
		ana.Says("when do you open?")
		ana.ExpectsPart("Mon-Fri")
		id := idOf(t, w, "open?")
		said := told(t, w, id)
		if by := said.AnsweredBy; by == nil || !by.Loaded.After(tuesdayAtTen.Add(-time.Second)) || !by.Loaded.Before(said.SeenAt) {
			t.Errorf("%+v by %+v", said, by)
		}
		expect := func(want string) {
			t.Helper()
			if got := whys(t, w, id); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("there is no %s in\n%s", want, got)
			}
		}
		expect(`\nrules: version [0-9a-f]{32}, loaded \S+ \d\d:00:\d\d\n`)
		w.Advance(time.Hour)
		w.Restart()
		w.Advance(time.Minute)
		expect(`\nrules: version [0-9a-f]{32}, loaded before that, and again \S+ \d\d:0\d:\d\d\n`)
	})
}

// While a person has the conversation, why names the rule that kept books, and what held one back.
func TestWhyOwned(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	dir := t.TempDir()
	files := "version: 1\nname: test\nstatus: live\nrules:\n  - id: refund\n    when: message\n    if: [{ text: { any_word: refund } }, { conversation: { owner: anybody } }]\n" +
		"    then: [{ label: refund }]\n    limits: { per_person: 1 per 12h }\n"
	if err := os.WriteFile(filepath.Join(dir, "10-a.yaml"), []byte(files), 0o600); err != nil {
		t.Fatal(err)
	}
	answering(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("hi")
		w.Account("bot").Tells(ana, "I take this one")
		w.Advance(5 * time.Minute)
		for _, c := range []struct{ said, rule, told string }{
			{"thanks", "", "Nothing was said: person has the conversation; the bot is silent meanwhile."},
			{"a refund", "refund", "Nothing was said: person has the conversation; the bot is silent meanwhile. Something was done by the rule refund, 10-a.yaml line 5."},
			{"REFUND", "refund", "Nothing was said: person has the conversation; refund matched, and is held back: the limit refund/per_person (1 per 12h) is used up; the bot is silent meanwhile."},
		} {
			ana.Says(c.said)
			w.Advance(time.Minute)
			got := told(t, w, idOf(t, w, c.said))
			if got.Told != c.told || got.Rule != c.rule || len(got.Differs) > 0 || len(got.Tried) != 1 {
				t.Errorf("%s: %+v", c.said, got)
			}
			if listed := beside(t, w, "events", "--outcome", "owned", "--limit", "1"); !strings.Contains(listed.stdout, c.said) || !strings.Contains(listed.stdout, c.rule) {
				t.Errorf("events: %s%s", listed.stdout, listed.stderr)
			}
		}
	})
}

// A stop word is heard while a person has the conversation, and why says so.
func TestWhyStopWhileOwned(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	answering(t, referenceFolder(t, allLive...), func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("wedding quote")
		ana.ExpectsPart("What date")
		w.Ask(event.Request{Key: w.Conversation(ana).Key, Wish: event.WishTakeOver, Owner: "mia"})
		w.Advance(time.Minute)
		ana.Says("STOP")
		w.Advance(time.Minute)
		got := told(t, w, idOf(t, w, "STOP"))
		if want := `Nothing was said: mia has the conversation; "STOP" asks for silence: the person is left alone until they write "start"; the bot is silent meanwhile.`; got.Told != want || len(got.Differs) > 0 {
			t.Errorf("%+v", got)
		}
		if said := whys(t, w, idOf(t, w, "STOP")); !strings.Contains(said, "takes back what has not left: the person wants to be left alone") ||
			!strings.Contains(said, "after:  mia has it, no step, no labels, the person wants to be left alone") {
			t.Error(said)
		}
	})
}
