package simulate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// reminded is somebody whom the bot reminds, once or several times in a row, by timers that set themselves anew. What
// the handler needs has bad times, some of which outlast all tries; every other incarnation of the bot has no route for
// timers at all; and somebody at the inspector lets be tried again what is quarantined. Each reminder comes once in the end,
// those of a row in their order, and each knows how late it is.
type reminded struct {
	s   *simulation
	who platform.UserID
	bad atomic.Bool // what the handler needs has a bad time

	mu   sync.Mutex
	said int
	over bool     // no more bad times, and no more incarnations without the route
	odd  []string // what was not as it should be
}

const (
	remindedBy = "reminded " // begins the names of the timers
	inARow     = 4           // reminders of a row
)

// promise is what a timer keeps.
type promise struct {
	Number int       `json:"number"`
	Left   int       `json:"left"` // reminders of its row
	Due    time.Time `json:"due"`
}

func (r promise) text() string {
	if r.Left == 0 {
		return fmt.Sprint("reminder ", r.Number)
	}
	return fmt.Sprintf("row %d round %d", r.Number, inARow-r.Left+1)
}

func drawReminded(dice *rand.Rand) []string {
	steps := make([]string, 10+dice.IntN(14))
	for i := range steps {
		steps[i] = []string{"remind", "remind", "remind", "row", "row", "bad", "bad", "good", "retry", "retry", "minute"}[dice.IntN(11)]
	}
	return steps
}

func newReminded(s *simulation) workload { return &reminded{s: s} }

func (g *reminded) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-reminded"})
}

func (g *reminded) configure(*bot.Config) {}

func (g *reminded) routes() []bot.Route {
	all := []bot.Route{bot.On("reminded", bot.AnyMessage().If(isFrom(g.who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
		r := promise{}
		var what string
		if _, err := fmt.Sscan(m.Text, &what, &r.Number); err != nil {
			return err
		}
		if what == "row" {
			r.Left = inARow
		}
		return errors.Join(g.set(t, r), t.Reply("noted "+m.Text))
	})}
	if g.s.incarnations%2 == 0 && !g.over {
		return all
	}
	return append(all, bot.On("reminded-due", bot.Timers(remindedBy), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
		var r promise
		if err := json.Unmarshal(timer.Data, &r); err != nil {
			return err
		}
		if late := t.Now.Sub(r.Due); t.Lateness() != late {
			g.wrong("%s is %v late, and thinks that it is %v", r.text(), late, t.Lateness())
		}
		next := promise{Number: r.Number, Left: r.Left - 1}
		if next.Left > 0 {
			if err := g.set(t, next); err != nil {
				return err
			}
		}
		if g.bad.Load() {
			return errors.New("a bad time")
		}
		return t.Message(r.text())
	}))
}

// set sets the timer of a reminder.
func (g *reminded) set(t *bot.Turn, r promise) error {
	r.Due = t.Now.Add(time.Duration(2+r.Number%5) * time.Second).Truncate(time.Microsecond)
	data, err := json.Marshal(r)
	t.SetTimer(fmt.Sprint(remindedBy, r.Number), r.Due, data)
	return err
}

func (g *reminded) wrong(format string, args ...any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.odd = append(g.odd, fmt.Sprintf(format, args...))
}

func (g *reminded) do(ctx context.Context, what string) error {
	switch what {
	case "bad", "good":
		g.bad.Store(what == "bad")
	case "minute": // tries come to their end
		return g.s.live(ctx, time.Now().Add(time.Minute), &result{})
	case "retry":
		return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.retry(ctx, d) })
	default:
		g.said++
		g.s.platform.Say(g.who, g.s.account, fmt.Sprint(what, " ", g.said))
	}
	return nil
}

// retry lets what is quarantined be tried again, some of it or all, now and then twice.
func (g *reminded) retry(ctx context.Context, d inspect.Inspector) error {
	rows, err := g.timers(ctx, d, record.TimerQuarantined)
	if err != nil || len(rows) == 0 {
		return err
	}
	q := event.Request{Key: event.Key{Account: accountName, Peer: g.who}, Wish: event.WishRetry}
	dice := g.s.dice.draw("retry of the reminded")
	drawn := dice.n(4)
	if drawn < 2 && !g.over {
		for i := range rows[:(len(rows)+1)/2] {
			q.Timers = append(q.Timers, rows[i].ID())
		}
	}
	requests := []event.Request{q}
	if drawn%2 == 0 {
		requests = append(requests, q)
	}
	_, err = d.Ask(ctx, requests...)
	return err
}

// timers returns the workload's timers in a state.
func (g *reminded) timers(ctx context.Context, d inspect.Inspector, state string) ([]record.TimerRow, error) {
	return d.Timers(ctx, record.TimerQuery{Account: accountName, Peer: g.who, State: state, Until: time.Now(), Limit: 100})
}

func (g *reminded) knows(e emulator.Entry) bool { return e.From == g.who || e.To == g.who }

func (g *reminded) judge(mine []emulator.Entry) []string {
	var noted, once []string
	rows := map[string][]string{} // by what they begin with
	for _, e := range ofKind(mine, emulator.Said) {
		noted = append(noted, "noted "+e.Text)
		var r promise
		var what string
		if _, err := fmt.Sscan(e.Text, &what, &r.Number); err != nil {
			return []string{err.Error()} // the simulator's own fault
		}
		if what == "remind" {
			once = append(once, r.text())
			continue
		}
		for r.Left = inARow; r.Left > 0; r.Left-- {
			name := fmt.Sprintf("row %d ", r.Number)
			rows[name] = append(rows[name], r.text())
		}
	}
	arrived := map[string][]string{}
	for _, text := range whatIsSaid(ofKind(mine, emulator.Arrived)) {
		kind, _, _ := strings.Cut(text, " ")
		if kind == "row" {
			kind = text[:strings.LastIndex(text, "round")]
		}
		arrived[kind] = append(arrived[kind], text)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	wrong := slices.Concat(inOrder(noted, arrived["noted"]), missing(noted, arrived["noted"]), g.odd)
	slices.Sort(arrived["reminder"]) // they come when their times come
	slices.Sort(once)
	wrong = append(wrong, inOrder(once, arrived["reminder"])...)
	for name, all := range rows {
		wrong = append(wrong, inOrder(all, arrived[name])...)
	}
	if g.over {
		wrong = append(wrong, missing(once, arrived["reminder"])...)
		for name, all := range rows {
			wrong = append(wrong, missing(all, arrived[name])...)
		}
	}
	return wrong
}

// after ends all bad times, lets everything that is quarantined be tried again, and looks whether anything is left.
func (g *reminded) after(ctx context.Context) error {
	g.bad.Store(false)
	g.over = true
	if err := g.s.restart(ctx); err != nil {
		return err
	}
	if err := g.do(ctx, "retry"); err != nil {
		return err
	}
	time.Sleep(3 * time.Minute)
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		for _, state := range []string{record.TimerQuarantined, record.TimerOrphaned, record.TimerWaiting} {
			rows, err := g.timers(ctx, d, state)
			if err != nil {
				return err
			}
			for i := range rows {
				g.wrong("still %s: %s", state, rows[i].ID())
			}
		}
		return nil
	})
}
