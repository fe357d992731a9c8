package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// keeper is a bot that keeps what it is told.
func keeper() bottest.Config {
	return bottest.Config{Bot: bot.Config{PollInterval: time.Second}, Routes: []bot.Route{
		bot.On("echo", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
			t.Record(event.Entry{List: "leads", Key: "lead", Text: m.Text, Data: json.RawMessage(`[{"name":"tea","value":"green"}]`)})
			return t.Reply("you said " + m.Text)
		}).Ordered(1),
		bot.On("fail", bot.AnyMessage().Where(func(m event.Message) bool { return m.Text == "fail" }),
			func(context.Context, *bot.Turn, event.Message) error { return errors.New("no") }),
	}}
}

// typing runs a command beside a bot, with what a person types.
func typing(t *testing.T, w *bottest.World, typed string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{Args: args, Environ: []string{"NECTAR_STORE=sqlite:" + w.Database()}, Stdin: strings.NewReader(typed), Stdout: &out, Stderr: &err}
	return result{execute(context.Background(), sh), out.String(), err.String()}
}

// What is kept is shown, as a table and as JSON; nothing goes without a yes; and all is gone then.
func TestForgetCommand(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, keeper(), func(w *bottest.World) {
		zoe := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe", LastName: "Quill"})
		zoe.Says("hello there")
		zoe.Expects("you said hello there")
		w.Advance(time.Second)
		for _, typed := range []string{"", "n\n", "\n", "yes, but\n"} {
			got := typing(t, w, typed, "forget", "@ZoeQuill")
			if got.status != cli.ExitFailed || !strings.Contains(got.stderr, "nothing was changed") ||
				!strings.HasPrefix(got.stdout, fmt.Sprintf("@zoequill (Zoe Quill), number %d, account bot\n", zoe.ID())) ||
				!strings.Contains(got.stdout, "hello there") || !strings.Contains(got.stdout, "[y/N]") {
				t.Errorf("%q: status %d\n%s%s", typed, got.status, got.stdout, got.stderr)
			}
		}
		var p view.PersonJSON
		got := typing(t, w, "", "export", fmt.Sprint(zoe.ID()))
		if err := json.Unmarshal([]byte(got.stdout), &p); err != nil || len(p.Events) != 1 || p.Events[0].Text != "hello there" || p.User != "zoequill" ||
			len(p.Actions) != 1 || len(p.Entries) != 1 || string(p.Entries[0].Data) == "" {
			t.Errorf("%v\n%s%s", err, got.stdout, got.stderr)
		}
		if got := typing(t, w, "y\n", "forget", "@zoequill"); got.status != 0 || !strings.Contains(got.stdout, "@zoequill: forgot what was kept") {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		got = typing(t, w, "", "forget", fmt.Sprint(zoe.ID()))
		if got.status != 0 || !strings.Contains(got.stdout, "nothing is kept of what was said") || strings.Contains(got.stdout, "oe") && strings.Contains(got.stdout, "Zoe") {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		if got := typing(t, w, "", "forget", "@zoequill"); got.status != cli.ExitFailed || !strings.Contains(got.stderr, "nobody is known") {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
	})
}

// Where it takes longer than somebody waits it goes on, and says so; what others were told is nothing that the bot can take back, and is named.
func TestForgetGoesOn(t *testing.T) {
	t.Parallel()
	bottest.Run(t, keeper(), func(w *bottest.World) {
		zoe := w.Person("zoequill")
		zoe.Says("hello there")
		zoe.Expects("you said hello there")
		got := typing(t, w, "", "forget", "@zoequill", "--yes", "--wait", "1ms")
		if got.status != 0 || !strings.Contains(got.stdout, "was not through with it within 1ms, and goes on with it beside its work until nothing is left") {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		w.Advance(10 * time.Second)
		zoe.Says("me again")
		zoe.Expects("you said me again")
		got = typing(t, w, "y\n", "forget", fmt.Sprint(zoe.ID()))
		if kept := "the bot's own log, and the phones, chats and mailboxes that it called, keep what they were told"; got.status != 0 ||
			!strings.Contains(got.stdout, "What the bot's log and phones were told stays there. [y/N]") || !strings.Contains(got.stdout, kept) || strings.Contains(got.stdout, "hello there") {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
	})
}

// A person is found whom an event or an entry of a list alone knows, and one of whom nothing is kept can be ignored.
func TestForgetWhomLittleKnows(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	bottest.Run(t, keeper(), func(w *bottest.World) {
		zoe, leo := w.AddPerson(emulator.Person{Username: "zoequill", FirstName: "Zoe"}), w.Person("leo")
		zoe.Says("fail")
		w.Advance(5 * time.Minute)
		w.Stop()
		w.Inspect(func(d inspect.Inspector) {
			if _, err := d.AddEntry(context.Background(), event.Entry{Account: "bot", List: "vip", Key: "x", Peer: 777, Text: "a friend"}); err != nil {
				t.Error(err)
			}
		})
		for _, who := range []string{"@zoequill", "777"} {
			if got := typing(t, w, "y\n", "forget", who); got.status != 0 || !strings.Contains(got.stdout, "no bot runs on") {
				t.Errorf("%s: status %d\n%s%s", who, got.status, got.stdout, got.stderr)
			}
		}
		number := fmt.Sprint(leo.ID())
		if got := typing(t, w, "", "forget", number, "--and-ignore", "--yes", "--json"); got.status != 0 || !strings.Contains(got.stdout, `"waiting"`) {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
		if got := typing(t, w, "", "forget", "--list-ignored"); got.stdout != "nobody is ignored\n" {
			t.Errorf("%s%s", got.stdout, got.stderr)
		}
		w.Start()
		w.Advance(10 * time.Second)
		if got := typing(t, w, "", "forget", "--list-ignored"); !strings.Contains(got.stdout, number) || got.status != 0 {
			t.Errorf("%s%s", got.stdout, got.stderr)
		}
		for _, who := range []string{"@zoequill", "778"} {
			if got := typing(t, w, "", "forget", who, "--yes"); got.status != cli.ExitFailed {
				t.Errorf("%s: status %d\n%s%s", who, got.status, got.stdout, got.stderr)
			}
		}
		leo.Says("anybody?")
		leo.ExpectsNothing(time.Minute)
		if got := typing(t, w, "", "forget", "--stop-ignoring", number); got.status != 0 || !strings.Contains(got.stdout, "is not ignored any more") {
			t.Errorf("%s%s", got.stdout, got.stderr)
		}
		leo.Says("hi")
		leo.Expects("you said hi")
	})
}

// What makes no sense is refused.
func TestForgetUsage(t *testing.T) {
	t.Parallel()
	bottest.Run(t, keeper(), func(w *bottest.World) {
		for _, args := range [][]string{
			{"forget"},
			{"forget", "@a", "@b"},
			{"forget", "--list-ignored", "@a"},
			{"forget", "@a", "--json"},
			{"export"},
			{"forget", "@a", "--and-ignore", "--stop-ignoring"},
		} {
			if got := typing(t, w, "", args...); got.status != cli.ExitUsage {
				t.Errorf("%v: status %d\n%s%s", args, got.status, got.stdout, got.stderr)
			}
		}
		if got := typing(t, w, "", "forget", "--stop-ignoring", "5"); got.status != cli.ExitFailed || !strings.Contains(got.stderr, "is not ignored") {
			t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
		}
	})
}
