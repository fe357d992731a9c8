package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// posted returns what the bot has published.
func posted(w *bottest.World) (all []string) {
	for _, e := range w.Platform().Ledger().Since(0) {
		if e.Kind == emulator.Published && e.ByAPI {
			all = append(all, e.Text)
		}
	}
	return all
}

// A schedule comes once a day at its time on the wall, over both changes of clocks; of missed days the last one comes, late; a day that fails is set aside, and
// the next one comes; with other days it begins anew.
func TestEvery(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		start time.Time
		at    handlers.Clock
		days  []time.Weekday
		do    func(w *bottest.World)
		want  []string
	}{
		"each day, over crashes and restarts": {
			start: time.Date(2025, 6, 2, 8, 0, 0, 0, berlin), at: handlers.At(9, 0),
			do: func(w *bottest.World) {
				w.Advance(90 * time.Minute)
				w.Crash()
				w.Advance(24 * time.Hour)
				w.Restart()
				w.Advance(24 * time.Hour)
			},
			want: []string{"06-02 09:00 CEST", "06-03 09:00 CEST", "06-04 09:00 CEST"},
		},
		"of missed ones the last": {
			start: time.Date(2025, 6, 2, 8, 0, 0, 0, berlin), at: handlers.At(9, 0),
			do: func(w *bottest.World) {
				w.Advance(2 * time.Hour)
				w.Stop()
				w.Advance(3*24*time.Hour + time.Hour)
				w.Start()
				w.Advance(24 * time.Hour)
			},
			want: []string{"06-02 09:00 CEST", "06-05 09:00 CEST late 2h", "06-06 09:00 CEST"},
		},
		"a time that is left out": {
			start: time.Date(2025, 3, 28, 12, 0, 0, 0, berlin), at: handlers.At(2, 30),
			do:   func(w *bottest.World) { w.Advance(3 * 24 * time.Hour) },
			want: []string{"03-29 02:30 CET", "03-30 03:00 CEST", "03-31 02:30 CEST"},
		},
		"a time that comes twice": {
			start: time.Date(2025, 10, 24, 12, 0, 0, 0, berlin), at: handlers.At(2, 30),
			do:   func(w *bottest.World) { w.Advance(3 * 24 * time.Hour) },
			want: []string{"10-25 02:30 CEST", "10-26 02:30 CEST", "10-27 02:30 CET"},
		},
		"some days of the week, and one that fails": {
			start: time.Date(2025, 6, 2, 8, 0, 0, 0, berlin), at: handlers.At(9, 0), days: []time.Weekday{time.Tuesday, time.Thursday, time.Friday},
			do:   func(w *bottest.World) { w.Advance(8*24*time.Hour + 2*time.Hour) },
			want: []string{"06-03 09:00 CEST", "06-05 09:00 CEST", "06-10 09:00 CEST"}, // the Friday fails
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			post := func(_ context.Context, t *bot.Turn, due time.Time) error {
				if due.Weekday() == time.Friday && len(tc.days) > 0 {
					return errors.New("no flour")
				}
				words := due.Format("01-02 15:04 MST")
				if late := t.Now.Sub(due).Round(time.Hour); late > 0 {
					words += fmt.Sprintf(" late %dh", int(late.Hours()))
				}
				return t.Publish(words)
			}
			bottest.Run(t, bottest.Config{
				Routes: handlers.Every("daily", tc.at, berlin, post, tc.days...), Start: tc.start, Bot: bot.Config{PollInterval: 10 * time.Minute, RequestPause: time.Hour},
			}, func(w *bottest.World) {
				tc.do(w)
				if diff := cmp.Diff(tc.want, posted(w)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// While the account is paused a schedule waits, and comes late behind that; one with another time begins anew, and nothing that is over comes.
func TestEveryChanges(t *testing.T) {
	t.Parallel()
	post := func(_ context.Context, t *bot.Turn, due time.Time) error { return t.Publish(due.Format(time.DateTime)) }
	routes := func(hour int) []bot.Route { return handlers.Every("daily", handlers.At(hour, 0), time.UTC, post) }
	bottest.Run(t, bottest.Config{Routes: routes(18), Bot: bot.Config{PollInterval: 10 * time.Minute, RequestPause: time.Minute}}, func(w *bottest.World) {
		w.Advance(10 * time.Hour) // from nine
		w.Deploy(func(c *bottest.Config) { c.Routes = routes(10) })
		w.Advance(14 * time.Hour) // nine again
		if got := posted(w); !slices.Equal(got, []string{"2025-03-03 18:00:00"}) {
			t.Errorf("published is %q", got)
		}
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishPause})
		w.Advance(3 * time.Hour)
		if got := posted(w); len(got) != 1 {
			t.Errorf("while the account is paused, published is %q", got)
		}
		w.Ask(event.Request{Key: event.Key{Account: "bot"}, Wish: event.WishGoOn})
		w.Advance(10 * time.Minute)
		if got := strings.Join(posted(w), ", "); got != "2025-03-03 18:00:00, 2025-03-04 10:00:00" {
			t.Errorf("published is %q", got)
		}
	})
}
