package bot_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
)

// ender ends what people name by its key, or what the message right before led to, and says whether it has.
func ender(also ...bot.Route) bottest.Config {
	named := bot.NewMatcher(func(_ context.Context, t *bot.Turn) (string, bool) { return strings.CutPrefix(t.Text(), "end ") }, event.KindMessage)
	return bottest.Config{Bot: rarely(), Routes: append(also, bot.On("ender", named, func(ctx context.Context, t *bot.Turn, key string) error {
		if key == "that" {
			key = ""
			for n := t.Event.ID.Number - 1; n > t.Event.ID.Number-5 && key == ""; n-- {
				before := fmt.Sprintf("message:%d/dated/0", n)
				if _, ok, err := t.ActionState(ctx, before); err != nil {
					return err
				} else if ok {
					key = before
				}
			}
		}
		ended, err := t.End(ctx, key, "it is not wanted any more")
		if err != nil {
			return err
		}
		if again, err := t.End(ctx, key, "it is not wanted twice"); err != nil || again {
			return t.Reply(fmt.Sprint("ended twice: ", again, err))
		}
		return t.Reply(fmt.Sprint("ended: ", ended))
	}))}
}

// A handler ends what it decided and has not begun to leave, once, with what waits for an approval with it; and gives its
// uses back.
func TestEnd(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	plan := planned(2 * time.Hour).Routes[0]
	for name, c := range map[string]struct {
		routes []bot.Route
		says   string
		ends   string // how they end
		ruling event.Ruling
	}{
		"due":            {dated().Routes, "spring 2h 10m", "withdrawn it is not wanted any more", ""},
		"held":           {dated(bot.Held("a look at it")).Routes, "spring 2h 10m", "withdrawn it is not wanted any more", ""},
		"for approval":   {[]bot.Route{plan}, "plan", "withdrawn it is not wanted any more", event.Dropped},
		"ended, and due": {dated(bot.As(event.Broadcast)).Routes, "spring 2h 10m", "withdrawn it is not wanted any more", ""},
	} {
		for how, meanwhile := range meanwhiles {
			if !effort.Some(name + " " + how) {
				continue
			}
			t.Run(name+" "+how, func(t *testing.T) {
				effort.Case(t)
				cfg := ender()
				for _, r := range c.routes {
					cfg.Routes = append(cfg.Routes, r.Ordered(1))
				}
				bottest.Run(t, cfg, func(w *bottest.World) {
					ana, leo := w.Person("ana"), w.Person("leo")
					ana.Says(c.says)
					seen(w, ana)
					before := actionsOf(w, ana)
					leo.Says("end " + before[0].Key) // it is not hers
					leo.Expects("ended: false")
					ana.Says("end " + before[len(before)-1].Key)
					ana.Expects("ended: true")
					meanwhile(w)
					ana.Says("end " + before[0].Key)
					ana.Expects("ended: false")
					w.Advance(7 * time.Hour) // all of their times are over
					if texts, _ := published(w); len(texts) > 0 {
						t.Errorf("published is %v", texts)
					}
					for _, a := range actionsOf(w, ana)[:len(before)] {
						if got := string(a.State) + " " + a.Reason; got != c.ends {
							t.Errorf("it ended as %q", got)
						}
					}
					if n := usesLeft(t, w); n > 0 {
						t.Errorf("%d uses of the limit count", n)
					}
					if c.ruling != "" {
						verdicts(t, w, before, c.ruling, "")
					}
				})
			})
		}
	}
}

// What the turn right before decided is ended, too, and what is on its way or over stays as it is.
func TestEndInTheMiddle(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	for name, c := range map[string]struct {
		first string
		pause time.Duration
		want  string
		left  int
	}{
		"decided a moment ago": {"spring 2h 10m", 0, "ended: true", 0},
		"on its way":           {"spring 0s 10m", 6 * time.Second, "ended: false", 1},
		"done":                 {"spring 0s 10m", time.Minute, "ended: false", 1},
		"too late":             {"spring 0s -10m", 0, "ended: false", 0},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			var s network
			cfg := ender(dated().Routes[0].Ordered(1))
			cfg.Transport, cfg.CommitTime = s.over, 50*time.Millisecond
			bottest.Run(t, cfg, func(w *bottest.World) {
				s.turn(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/publish_post") {
						return slowly(12*time.Second)(next, r)
					}
					return next.RoundTrip(r)
				})
				ana := w.Person("ana")
				if c.pause == 0 {
					ana.Says(c.first, "end that")
				} else {
					ana.Says(c.first)
					w.Advance(c.pause)
					ana.Says("end that")
				}
				ana.Expects(c.want)
				w.Advance(3 * time.Hour)
				if texts, _ := published(w); len(texts) != c.left {
					t.Errorf("published is %v", texts)
				}
				if got := endings(w, ana); c.want == "ended: true" && got["withdrawn it is not wanted any more"] != 1 {
					t.Errorf("they ended as %v", got)
				}
			})
		})
	}
}
