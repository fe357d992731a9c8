package bot_test

import (
	"context"
	"errors"
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
)

// daily is a plugin that posts each day at nine, in turn.
type daily struct {
	texts  []string
	posted bot.AccountValue[int] // how many posts so far
}

// Routes returns what begins turns of the account's own.
func (d *daily) Routes() []bot.Route {
	return bot.Group("daily", nil,
		bot.On("start", bot.Started("daily/start"), d.start),
		bot.On("post", bot.Timer("daily/post"), d.post),
		bot.On("skip", bot.Asked("daily/skip"), d.skip),
	)
}

// start comes with each start. The timer outlives them, so it is set once.
func (d *daily) start(ctx context.Context, t *bot.Turn, _ event.Nudge) error {
	_, begun, err := d.posted.Load(ctx, t)
	if err != nil || begun {
		return err
	}
	d.next(t)
	return d.posted.Save(ctx, t, 0)
}

// next sets the timer to the next nine o'clock.
func (d *daily) next(t *bot.Turn) {
	at := time.Date(t.Now.Year(), t.Now.Month(), t.Now.Day(), 9, 0, 0, 0, t.Now.Location())
	if !at.After(t.Now) {
		at = at.AddDate(0, 0, 1)
	}
	t.SetTimer("daily/post", at, nil)
}

// post publishes today's text: once for a day, whatever happens.
func (d *daily) post(ctx context.Context, t *bot.Turn, _ event.Timer) error {
	d.next(t)
	n, _, err := d.posted.Load(ctx, t)
	if err != nil {
		return err
	}
	if t.Lateness() > time.Hour {
		t.Note("it was too late for today")
		return nil
	}
	today := bot.Keyed("daily/" + t.Now.Format(time.DateOnly))
	return errors.Join(d.posted.Save(ctx, t, n+1), t.Publish(d.texts[n%len(d.texts)], today))
}

// skip leaves one out: nectar tell daily/skip.
func (d *daily) skip(ctx context.Context, t *bot.Turn, _ event.Told) error {
	n, _, err := d.posted.Load(ctx, t)
	if err != nil {
		return err
	}
	t.Note("%q is left out", d.texts[n%len(d.texts)])
	return d.posted.Save(ctx, t, n+1)
}

func ExampleStarted() {
	d := &daily{texts: []string{"Fresh bread.", "Fresh rolls."}, posted: bot.NewAccountValue[int]("daily", "posted")}
	if _, err := bot.NewRouter(bot.RouterConfig{Routes: d.Routes()}); err != nil {
		panic(err)
	}
	// Output:
}

// The plugin of the example does what it says: a post a day, over restarts and crashes, none too late, and one is left out.
func TestDailyPost(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	d := &daily{texts: []string{"Fresh bread.", "Fresh rolls.", "Fresh cake."}, posted: bot.NewAccountValue[int]("daily", "posted")}
	bottest.Run(t, bottest.Config{
		Routes: d.Routes(), Bot: bot.Config{PollInterval: 10 * time.Minute}, Start: time.Date(2025, time.March, 3, 8, 0, 0, 0, time.UTC),
	}, func(w *bottest.World) {
		a := w.Account("bot")
		w.Advance(90 * time.Minute)
		a.ExpectsPost("Fresh bread.")
		w.Crash()
		w.Advance(24 * time.Hour)
		a.ExpectsPost("Fresh rolls.")
		w.Stop()
		w.Advance(26 * time.Hour)
		w.Start()
		if got := a.Tell("daily/skip", ""); got.Note != `"Fresh cake." is left out` {
			t.Errorf("the answer is %+v", got)
		}
		w.Stop()
		w.Advance(22 * time.Hour)
		w.Start()
		w.Advance(time.Minute)
		if diff := cmp.Diff([]string{"Fresh bread.", "Fresh rolls.", "Fresh bread."}, postsOf(w)); diff != "" {
			t.Error(diff)
		}
	})
}

// The page about plugins shows the code of the examples.
func TestPageShowsTheExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "plugins.md"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range []string{"own_example_test.go", "delivery_example_test.go"} {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	blocks := regexp.MustCompile("(?ms)^``` go\n(.*?)^```$").FindAllSubmatch(page, -1)
	if len(blocks) < 5 {
		t.Errorf("the page shows %d pieces of it", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(code.String(), string(b[1])) {
			t.Errorf("the page shows code that is not there:\n%s", b[1])
		}
	}
}
