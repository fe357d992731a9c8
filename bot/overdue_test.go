package bot_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// floods lets so many new people write, this many a second.
func floods(w *bottest.World, people, perSecond int) {
	for i := range people {
		w.Person(fmt.Sprintf("guest%04d", i)).Says("hi")
		w.Advance(time.Second / time.Duration(perSecond))
	}
}

// due returns how many actions of the account are due, and how old the oldest is.
func due(t *testing.T, w *bottest.World) (n int, oldest time.Duration) {
	t.Helper()
	counts, err := w.Bot().Counts(context.Background())
	if err != nil || len(counts.Accounts) != 1 {
		t.Fatalf("%v: %v", err, counts.Accounts)
	}
	a := counts.Accounts[0]
	if a.OldestDue.IsZero() {
		return a.Due, 0
	}
	return a.Due, time.Since(a.OldestDue)
}

// tellsLate returns what the bot says of late answers; nil when it says nothing.
func tellsLate(w *bottest.World) *record.Trouble {
	j := w.Bot().Judgement()
	for _, t := range j.Accounts["bot"] {
		if t.Why.Code() == record.TroubleLate {
			return &t
		}
	}
	return nil
}

const (
	becameLate = "answers are late"
	soonAgain  = "answers are in time again"
	lateAge    = 5 * time.Minute
)

// What the pace keeps back is counted, with the age of the oldest; above five minutes, while it grows, it is told once, with the setting that
// helps, and so is its end.
func TestLateByThePace(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{echo()}, Patience: time.Hour}, func(w *bottest.World) {
		if n, oldest := due(t, w); n != 0 || oldest != 0 {
			t.Errorf("%d actions are due before anything happens, the oldest for %v", n, oldest)
		}
		floods(w, 600, 15)
		w.Advance(20 * time.Second)
		if n, oldest := due(t, w); n < 520 || n > 560 || oldest < 45*time.Second || oldest > time.Minute {
			t.Errorf("after a minute %d actions are due, the oldest for %v", n, oldest)
		}
		w.Advance(3 * time.Minute)
		if tellsLate(w) != nil || strings.Contains(w.Log(), becameLate) {
			t.Errorf("it is told too early: %+v", tellsLate(w))
		}
		w.Advance(4 * time.Minute)
		told := tellsLate(w)
		if told == nil {
			t.Fatalf("nothing is told; the log is\n%s", w.Log())
		}
		if n, oldest := due(t, w); n < 80 || n > 160 || oldest < 7*time.Minute {
			t.Errorf("after eight minutes %d actions are due, the oldest for %v", n, oldest)
		}
		if told.Why.Param("by") != "pace" || !strings.Contains(told.Says, "actions are due, the oldest for ") || !strings.Contains(told.Do, "NECTAR_PACE") {
			t.Errorf("it is told so: %+v", told)
		}
		if w.Advance(10 * time.Minute); tellsLate(w) != nil {
			t.Errorf("all has left, and it is told: %+v", tellsLate(w))
		}
		if n, oldest := due(t, w); n != 0 || oldest != 0 {
			t.Errorf("all has left, and %d actions are due, the oldest for %v", n, oldest)
		}
		if log := w.Log(); strings.Count(log, becameLate) != 1 || strings.Count(log, soonAgain) != 1 {
			t.Errorf("the log is\n%s", log)
		}
	})
}

// full is a platform that asks for fewer messages while it is.
type full struct {
	next http.RoundTripper
	is   *atomic.Bool
}

func (f full) RoundTrip(r *http.Request) (*http.Response, error) {
	if !f.is.Load() || !strings.HasSuffix(r.URL.Path, "/send_message") {
		return f.next.RoundTrip(r)
	}
	_ = r.Body.Close()
	return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"code":429,"message":"slow down"}`)), Request: r}, nil
}

// Where it is the platform that takes nothing, no higher pace is advised.
func TestLateByThePlatform(t *testing.T) {
	t.Parallel()
	var is atomic.Bool
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{echo()}, Patience: time.Hour, Transport: func(next http.RoundTripper) http.RoundTripper { return full{next, &is} },
	}, func(w *bottest.World) {
		is.Store(true)
		floods(w, 20, 1)
		if w.Advance(8 * time.Minute); tellsLate(w) == nil {
			t.Fatalf("nothing is told; the log is\n%s", w.Log())
		}
		if told := tellsLate(w); told.Why.Param("by") != "platform" || strings.Contains(told.Do, "raise NECTAR_PACE") || !strings.Contains(told.Do, "a higher pace would not help") {
			t.Errorf("it is told so: %+v", told)
		}
		if n, oldest := due(t, w); n != 20 || oldest < 7*time.Minute {
			t.Errorf("%d actions are due, the oldest for %v", n, oldest)
		}
		is.Store(false)
		if w.Advance(10 * time.Minute); tellsLate(w) != nil || strings.Count(w.Log(), soonAgain) != 1 {
			t.Errorf("it goes on, and the log is\n%s", w.Log())
		}
	})
}

// answersIn answers each message after as many seconds as it says.
func answersIn() bot.Route {
	return bot.On("delayed", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error {
		d, err := time.ParseDuration(m.Text)
		if err != nil {
			return err
		}
		return t.Reply("now", bot.In(d))
	})
}

// What has become old in a pause, and gets less old from then on, is counted, and not told.
func TestOldAndShrinkingIsNotTold(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{answersIn()}, Patience: time.Hour}, func(w *bottest.World) {
		for i := range 600 { // one comes due each three seconds
			w.Person(fmt.Sprintf("guest%04d", i)).Says((5*time.Minute + time.Duration(i)*3*time.Second).String())
		}
		w.Advance(time.Minute)
		if n, _ := due(t, w); n != 0 {
			t.Errorf("%d actions are due that are not", n)
		}
		w.Ask(aboutRule(event.WishPause, ""))
		w.Advance(40 * time.Minute)
		if n, oldest := due(t, w); n != 0 || oldest != 0 {
			t.Errorf("in a pause %d actions are due, the oldest for %v", n, oldest)
		}
		w.Ask(aboutRule(event.WishGoOn, ""))
		w.Advance(20 * time.Second)
		if n, oldest := due(t, w); n < 550 || oldest < 30*time.Minute {
			t.Errorf("after the pause %d actions are due, the oldest for %v", n, oldest)
		}
		w.Advance(8 * time.Minute)
		if n, oldest := due(t, w); n < 80 || oldest < lateAge {
			t.Errorf("later %d actions are due, the oldest for %v", n, oldest)
		}
		w.Advance(3 * time.Minute)
		if n, _ := due(t, w); n != 0 || tellsLate(w) != nil || strings.Contains(w.Log(), becameLate) {
			t.Errorf("%d actions are due, and the log is\n%s", n, w.Log())
		}
	})
}

// What waits for a person, for its time, or for a distance to what was published before, is not counted.
func TestWhatWaitsForOthersIsNotDue(t *testing.T) {
	t.Parallel()
	awaits := bot.On("ask", saying("ask"), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		return t.Reply("an offer", bot.Awaits("needs approval", event.Approval{Group: t.Trigger.ID() + "/ask/0"}))
	})
	publishes := bot.On("publish", saying("publish"), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Publish("news of " + t.Peer().User)
	})
	bottest.Run(t, bottest.Config{Routes: []bot.Route{awaits, publishes, answersIn().Ordered(1)}, Patience: time.Hour}, func(w *bottest.World) {
		if err := w.Bot().LimitPublishing("bot", &bot.Publishing{Apart: 3 * time.Hour}); err != nil {
			t.Fatal(err)
		}
		w.Person("ana").Says("ask")
		for i := range 4 {
			w.Person(fmt.Sprintf("guest%d", i)).Says("publish")
		}
		w.Person("bo").Says("2h")
		for range 60 {
			w.Advance(time.Minute)
			if n, oldest := due(t, w); n != 0 || oldest != 0 {
				t.Fatalf("%d actions are due, the oldest for %v", n, oldest)
			}
		}
		if tellsLate(w) != nil || strings.Contains(w.Log(), becameLate) {
			t.Errorf("the log is\n%s", w.Log())
		}
	})
}

// Where all accounts together have used up what their host gets, that is the setting that helps.
func TestLateByTheHost(t *testing.T) {
	t.Parallel()
	var together time.Time
	route := bot.On("together", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, _ event.Message) error {
		return t.Reply("now", bot.In(together.Sub(t.Now)))
	})
	bottest.Run(t, bottest.Config{
		Routes: []bot.Route{route}, Patience: time.Hour, Bot: bot.Config{Budget: bot.NewBudget(0.5), Pace: &event.Pace{}},
	}, func(w *bottest.World) {
		together = time.Now().Add(3 * time.Hour)
		for i := range 300 {
			w.Person(fmt.Sprintf("guest%04d", i)).Says("hi")
		}
		w.Advance(3*time.Hour + 8*time.Minute)
		if told := tellsLate(w); told == nil || told.Why.Param("by") != "host" || !strings.Contains(told.Do, "NECTAR_HOST_RATE") {
			t.Errorf("it is told so: %+v", told)
		}
	})
}
