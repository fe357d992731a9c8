package autoresponder_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/nectar-bot/nectar/plugins/welcome"
)

// beside runs a test with a bot that answers by the files of a folder, and has other plugins: one greets and thanks, one asks for a name,
// and reminds after three hours.
func beside(t *testing.T, dir string, test func(w *bottest.World)) {
	t.Helper()
	greets, err := welcome.New(welcome.Config{Greeting: "welcome", Thanks: "thanks"})
	if err != nil {
		t.Fatal(err)
	}
	asks := bot.MustFlow("asks", bot.FlowDefinition[struct{}]{
		States: []bot.FlowState[struct{}]{
			{Name: "name", Enter: func(_ context.Context, t *bot.Turn, _ *struct{}) error { return t.Message("your name?") }, Handle: func(context.Context, *bot.Turn, *struct{}) (conversation.Signal, error) {
				return "named", nil
			}, Timeout: time.Hour},
			{Name: "named", Enter: func(_ context.Context, t *bot.Turn, _ *struct{}) error { return t.Message("hello " + t.Text()) }, Final: true},
		},
		Transitions: []bot.FlowTransition[struct{}]{{From: "name", On: "named", To: "named"}, {From: "name", On: conversation.TimedOut, To: "named"}},
	})
	says := func(text string) bot.Matcher[event.Message] {
		return bot.AnyMessage().Where(func(m event.Message) bool { return m.Text == text })
	}
	routes := append(greets.Routes(),
		bot.On("asks", says("ask me"), func(ctx context.Context, t *bot.Turn, _ event.Message) error {
			t.After(3*time.Hour, "reminds")
			return bot.StartFlow(ctx, t, asks, struct{}{})
		}),
		bot.On("reminds", bot.Timer("reminds"), func(_ context.Context, t *bot.Turn, _ event.Timer) error { return t.Message("still there?") }),
		bot.On("stops", says("stop"), func(_ context.Context, t *bot.Turn, _ event.Message) error { return t.Message("a command") }),
		bot.On("older", says("older"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
			kept := map[string]any{"stopped": true, "stopped_at": t.Now, "spoken": true}
			raw, err := json.Marshal(kept)
			if err != nil {
				return err
			}
			return bot.NewValue[json.RawMessage]("rules", "memory").Save(t, raw)
		}),
	)
	bottest.Run(t, bottest.Config{
		Start: tuesday, Routes: routes, Flows: []bot.Machine{asks}, Bot: bot.Config{PollInterval: time.Minute, RequestPause: 30 * time.Second, Pace: &event.Pace{}},
		Plugins: func(st bot.Store, log *slog.Logger) ([]bottest.Plugin, error) {
			p, err := autoresponder.New(autoresponder.Config{Path: dir, Look: 2 * time.Minute, Log: log}, st)
			return []bottest.Plugin{p}, err
		},
	}, test)
}

// stopFolder has rules that hear "stop".
func stopFolder(t *testing.T) string {
	t.Helper()
	return folderOf(t, "10-a.yaml", stopFile, "settings.yaml", "version: 1\nstop_words: [stop]\nwho: { team: {} }\n")
}

const noMore = "We will send no more automatic messages. Write START to get them again."

// Whoever asks for silence hears nothing of other plugins either: no greeting, no thanks, no question, no reminder that was set before. A flow
// does not take the word for an answer. With a start word all of them speak again.
func TestStopIsHeardBesideOtherPlugins(t *testing.T) {
	t.Parallel()
	dir := stopFolder(t)
	beside(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		post := w.Posts("a post")
		ana.Says("ask me")
		ana.Expects("your name?")
		ana.Says("Stop!")
		ana.Expects(noMore)
		if c := w.Conversation(ana); c.Flow.Active() || c.Silence.Since.IsZero() || c.Silence.Untold {
			t.Errorf("flow %+v, silence %+v", c.Flow, c.Silence)
		}
		ana.Says("stop")
		ana.Follows()
		ana.Reposts(post)
		ana.Says("ask me", "hello")
		w.Crash()
		ana.ExpectsNothing(5 * time.Hour)
		ana.Says("start")
		w.Advance(5 * time.Minute)
		ana.Reposts(w.Posts("another post"))
		ana.Expects("thanks")
		ana.Says("ask me")
		ana.Expects("your name?")
		ana.Says("Ana")
		ana.Expects("hello Ana")
		nothingFailed(t, w)
	})
}

// A silence that an earlier version kept in the memory of the rules holds for all, and ends as it did.
func TestSilenceOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	dir := stopFolder(t)
	beside(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("older")
		w.Advance(5 * time.Minute)
		w.Restart()
		if c := w.Conversation(ana); c.Silence.Since.IsZero() || c.Silence.Untold {
			t.Errorf("silence %+v", c.Silence)
		}
		ana.Follows()
		ana.Says("ask me", "hello")
		ana.ExpectsNothing(time.Hour)
		ana.Says("start")
		w.Advance(5 * time.Minute)
		w.Restart()
		if c := w.Conversation(ana); !c.Silence.Since.IsZero() {
			t.Errorf("silence %+v", c.Silence)
		}
		ana.Says("hello")
		ana.Expects("hello")
		nothingFailed(t, w)
	})
}

// With rules on watch nobody is told which word ends the silence: any message does, and until then other plugins are silent, too.
func TestStopOnWatchBesideOtherPlugins(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "10-a.yaml", "version: 1\nname: test\nstatus: watch\nrules:\n  - id: hello\n    when: message\n    if: { text: { any_word: hello } }\n    then: [{ reply: hello }]\n", "settings.yaml", "version: 1\nstop_words: [stop]\n")
	beside(t, dir, func(w *bottest.World) {
		ana := w.Person("ana")
		ana.Says("stop")
		w.Advance(5 * time.Minute)
		ana.Follows()
		ana.ExpectsNothing(time.Hour)
		ana.Says("ask me")
		ana.Expects("your name?")
		nothingFailed(t, w)
	})
}
