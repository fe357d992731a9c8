package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// askRules is a file of which a person approves everything.
const askRules = `version: 1
name: test
status: ask
defaults: { limits: { per_person: 9 per 1d }, answer_within: 2h }
rules:
  - id: complaint
    when: message
    if: [text: { any_word: [broken] }]
    then:
      - label: [angry]
      - list: complaints
      - notify: { who: team, text: "look at it" }
      - handoff: { to: team, say_open: "We are sorry.", say_closed: "We are sorry." }
  - id: careful
    when: mention
    if: [sender: { labels_any: [angry] }]
    then: [{ like: the_post }, { reply: thank you for your patience }]
  - id: thanks
    when: mention
    then: [{ like: the_post }, { reply: thank you }]
  - id: fans
    when: follow
    then: [{ label: fan }]
`

// approving lets a bot answer by askRules.
func approving(t *testing.T, test func(w *bottest.World)) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"10-a.yaml": askRules, "settings.yaml": "version: 1\nwho: { team: {} }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answering(t, dir, test)
}

// types runs a command beside a bot, with what somebody types.
func types(w *bottest.World, typed string, args ...string) result {
	var out, err bytes.Buffer
	sh := cli.Shell{
		Args: args, Environ: []string{"NECTAR_STORE=sqlite:" + w.Database()}, Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &err,
	}
	return result{execute(context.Background(), sh), out.String(), err.String()}
}

// says checks what a command printed.
func (r result) says(t *testing.T, status int, want ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %s%s", r.status, status, r.stdout, r.stderr)
	}
	for _, w := range want {
		if !regexp.MustCompile(w).MatchString(r.stdout + r.stderr) {
			t.Errorf("there is no %s in\n%s%s", w, r.stdout, r.stderr)
		}
	}
}

// What waits is shown whole, below the whole question, with everything that happens with the approval; until then
// nothing of it has happened.
func TestOutboxShowsTheQuestion(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	approving(t, func(w *bottest.World) {
		ana := w.Person("ana")
		long := "it is broken, " + strings.Repeat("and I am cross, ", 20) + "help"
		ana.Says(long)
		w.Advance(time.Minute)
		beside(t, w, "outbox").says(t, 0,
			`^held  since \S+ \S+, rule complaint, needs approval until 2027-03-02 12:\d\d:\d\d\n +@ana \(Ana\): message "`+long+`"\n`+
				`\d{6}  → message "We are sorry."\n +\+ label angry\n +\+ list complaints: "`+long+`"\n +\+ tell team: "look at it"\n`+
				` +\+ tell team: "message from @ana: it is broken, .*"\n +\+ give the conversation to team\n +key message:\d+/rules/0\n\n`+
				`nectar outbox approve \d{6} lets it leave; .*nectar outbox review asks about each\n$`)
		beside(t, w, "outbox", "--json").says(t, 0, `"question":"message \\"it is broken`, `"together":"message:\d+/rules/0"`, `"expires":"2027-03-02T12:`,
			`"with":\["label angry","list complaints: `)
		beside(t, w, "why", idOf(t, w, "broken")).says(t, 0, `for a person to approve, and waits\.`, `with it: label angry`, `with it: give the conversation to team`)
		beside(t, w, "lists").says(t, 0, "no list|nothing|nobody")
		beside(t, w, "conversations", "show", "@ana").says(t, 0, `owner: bot`)
		if got := beside(t, w, "conversations", "show", "@ana").stdout; strings.Contains(got, "angry") {
			t.Error(got)
		}
		beside(t, w, "events", "--outcome", "waiting").says(t, 0, `@ana +message .* waiting +complaint`)
	})
}

// A review asks about each, and does what it is told, from a pipe as from a file.
func TestReview(t *testing.T) {
	t.Parallel()
	approving(t, func(w *bottest.World) {
		names := []string{"ana", "leo", "mia", "kim", "zoe"}
		people := map[string]*bottest.Person{}
		for _, name := range names {
			people[name] = w.Person(name)
			if name != "zoe" {
				people[name].Says(name + " has a broken box")
			} else {
				people[name].Mentions("lovely, @bot")
			}
			w.Advance(time.Minute)
		}
		got := types(w, "a\nwhat?\ne\nSorry, {{first_name}}\ne\nWe are so sorry.\nr\ns\ne\nGladly!\n", "outbox", "review", "--as", "ines")
		got.says(t, 0, `(?s)"ana has.*\[a/e/r/s/q\] a\nreleased .*"leo has.*write a, e, r, s or q\n.*people would read {{first_name}} as it stands here.*instead: "We are so sorry\."\nreleased .* with another text\n`+
			`.*"mia has.*\] r\ndropped .*"kim has.*\] s\n.*@zoe.*→ like post \d+\n\d{6}  → reply to post \d+ "thank you"\n.*instead: "Gladly!"\nreleased`,
			`4 decided, 1 left waiting\n$`)
		people["ana"].Expects("We are sorry.")
		people["leo"].Expects("We are so sorry.")
		people["zoe"].ExpectsReply("Gladly!")
		people["zoe"].ExpectsLike()
		w.Advance(time.Minute)
		for name, owner := range map[string]string{"ana": "team", "leo": "team", "mia": "", "kim": ""} {
			if c := w.Conversation(people[name]); c.Owner != owner || c.HasLabel("angry") != (owner != "") {
				t.Errorf("%s: labels %v, owner %q", name, c.Labels, c.Owner)
			}
		}
		beside(t, w, "lists", "complaints", "--json").says(t, 0, "ana has", "leo has")
		w.Inspect(func(d inspect.Inspector) {
			entries, err := d.Entries(context.Background(), "bot", "complaints", "", 9)
			if err != nil || len(entries) != 2 || slices.ContainsFunc(entries, func(e event.Entry) bool { return strings.Contains(e.Text, "mia") }) {
				t.Errorf("%+v, %v", entries, err)
			}
		})
		beside(t, w, "events").says(t, 0, `@zoe +mention.* sent +thanks +approved .*by ines`, `@kim .* waiting +complaint`,
			`@mia .* refused +complaint +refused by ines`, `@leo .* sent +complaint +approved with another text by ines`, `@ana .* sent +complaint +approved by ines`)

		script := filepath.Join(t.TempDir(), "answers")
		if err := os.WriteFile(script, []byte("q\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		types(w, "a\n", "outbox", "review", "--script", script).says(t, 0, `0 decided, 1 left waiting\n$`)
		types(w, "", "outbox", "review").says(t, 0, `0 decided, 1 left waiting\n$`)
		types(w, "a", "outbox", "review", "--peer", "@ana").says(t, 0, `^0 decided, 0 left waiting\n$`)
		types(w, "", "outbox", "review", "--script", script+"x").says(t, 1, `read the answers: .*no such file`)
		types(w, "", "outbox", "review", "483").says(t, 2, `choose with --rule, --campaign or --peer`)
	})
}

// What nobody approves in time goes by itself, is shown so, and cannot be approved.
func TestWhatNobodyApproves(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	approving(t, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("broken")
		w.Advance(time.Minute)
		number := regexp.MustCompile(`(\d{6})  →`).FindStringSubmatch(beside(t, w, "outbox").stdout)[1]
		w.Stop()
		w.Advance(3 * time.Hour)
		beside(t, w, "outbox", "--held").says(t, 0, `needs approval, and is expired: nobody approved it within 2h\n`)
		beside(t, w, "outbox", "approve", number).says(t, 0, `asked for; no bot runs`)
		w.Start()
		w.Advance(time.Minute)
		beside(t, w, "why", idOf(t, w, "broken")).says(t, 0, `for a person to approve, and has expired`, `never left: nobody approved it within 2h`)
		leo.Says("broken, too")
		w.Advance(time.Minute)
		beside(t, w, "outbox", "--peer", "@ana").says(t, 0, `withdrawn .*nobody approved it within 2h; expired `)
		beside(t, w, "outbox", "approve", number).says(t, 1, `is withdrawn, not held`)
		beside(t, w, "events", "--outcome", "expired").says(t, 0, `@ana .* expired +complaint`)
		ana.ExpectsNothing(time.Hour)
		var late event.Action
		w.Inspect(func(d inspect.Inspector) { // and with the bot at work
			held, err := d.Actions(context.Background(), record.ActionQuery{Account: "bot", State: event.StateHeld, Limit: 9})
			if err != nil || len(held) != 1 {
				t.Fatalf("held are %+v, %v", held, err)
			}
			late = held[0]
			p, _, err := d.Approval(context.Background(), "bot", late.Key)
			if err != nil {
				t.Fatal(err)
			}
			w.Advance(time.Until(p.Expires) + 3*time.Second)
		})
		beside(t, w, "outbox", "approve", late.Key).says(t, 1, `is withdrawn: nobody approved it within 2h, and the decision came too late`)
		leo.ExpectsNothing(time.Minute)
		beside(t, w, "events", "--peer", "@leo").says(t, 0, `expired +complaint`)
		if c := w.Conversation(ana); c.Owner != "" || len(c.Labels) > 0 {
			t.Errorf("labels %v, owner %q", c.Labels, c.Owner)
		}
	})
}

// A rule that does nothing on the platform waits, and can be approved and refused like others.
func TestApproveBooks(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	approving(t, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Follows()
		leo.Follows()
		w.Advance(time.Minute)
		beside(t, w, "outbox", "--needs-approval").says(t, 0, `@leo \(Leo\): follow\n\d{6}  → nothing on the platform\n +\+ label fan\n`)
		types(w, "r\ne\na\n", "outbox", "review").says(t, 0, `it has no text: approve or refuse it as it is`, `2 decided, 0 left waiting`)
		w.Advance(time.Minute)
		if a, l := w.Conversation(ana), w.Conversation(leo); a.HasLabel("fan") == l.HasLabel("fan") {
			t.Errorf("labels %v and %v", a.Labels, l.Labels)
		}
		beside(t, w, "events", "--outcome", "done").says(t, 0, `follow +done +fans`)
	})
}

// Before the approval, and after a refusal, nothing of a rule on ask has happened, and nobody says that it has.
func TestRefusalTakesAllBack(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	approving(t, func(w *bottest.World) {
		ana, leo := w.Person("ana"), w.Person("leo")
		ana.Says("broken")
		leo.Follows()
		w.Advance(time.Minute)
		untouched := func(when string) {
			t.Helper()
			if a, l := w.Conversation(ana), w.Conversation(leo); len(a.Labels)+len(l.Labels) > 0 || a.Owner != "" {
				t.Errorf("%s: labels %v and %v, owner %q", when, a.Labels, l.Labels, a.Owner)
			}
			w.Inspect(func(d inspect.Inspector) {
				entries, err := d.Entries(context.Background(), "bot", "complaints", "", 9)
				if err != nil || len(entries) > 0 || strings.Contains(w.Log(), "look at it") {
					t.Errorf("%s: entries %v, %v, or somebody was told:\n%s", when, entries, err, w.Log())
				}
			})
		}
		untouched("before")
		beside(t, w, "outbox", "refuse", "--all").says(t, 0, "dropped")
		w.Advance(time.Minute)
		untouched("after")
		if got := beside(t, w, "events").stdout; strings.Contains(got, "acted") || strings.Contains(got, "prepared") || strings.Count(got, "refused") < 2 {
			t.Error(got)
		}
	})
}

// A replay by the same files does what a person decided, too: a label that was refused is not there.
func TestReplayOfWhatWasRefused(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	approving(t, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("broken")
		w.Advance(time.Minute)
		beside(t, w, "outbox", "refuse", "--all").says(t, 0, "dropped")
		ana.Mentions("lovely, @bot")
		w.Advance(time.Minute)
		beside(t, w, "outbox", "approve", "--all").says(t, 0, "released")
		ana.ExpectsReply("thank you")
		w.Advance(time.Hour)
		dir := t.TempDir()
		for name, content := range map[string]string{"10-a.yaml": askRules, "settings.yaml": "version: 1\nwho: { team: {} }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		beside(t, w, "replay", dir, "--json").says(t, 0, `"changed":0,"new":0,"gone":0`)
	})
}
