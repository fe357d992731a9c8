package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// rival is another process with a database of its own on an account that the bot serves, too. Visitors write to it, once
// each. Everybody is answered, nobody more than twice; and once the two have found out, once.
type rival struct {
	s        *simulation
	account  platform.UserID
	mu       sync.Mutex // for visitors, whom requests look for
	visitors []visitor
	store    *store.Database // of the other process
	wrong    []string
}

// visitor is somebody who asks once.
type visitor struct {
	who  platform.UserID
	once bool // it was known by then that one of the two has stopped
}

const (
	rivalName        event.Account = "shared"
	rivalIncarnation               = 1000 // the number of the other process's incarnation
	mostVisits                     = 60   // in peace, until the two have found out
	lateVisits                     = 6    // and then
	sharedLeast                    = 800 * time.Millisecond
	sharedMost                     = 2 * time.Second
)

func drawRival(dice *rand.Rand) []string {
	return slices.Repeat([]string{"visit"}, 3+dice.IntN(15))
}

func newRival(s *simulation) workload { return &rival{s: s} }

// begin starts the other process, to which nothing happens.
func (g *rival) begin() {
	g.account = g.s.addAccount(rivalName)
	path := filepath.Join(g.s.dir, "rival.db")
	power := newPower(g.s.trace, rivalIncarnation, path, path+".next")
	ctx, stop := context.WithCancel(context.Background())
	var err error
	g.store, err = store.Open(ctx, store.Options{Path: path, Fast: true, Around: power.around(ctx, g.s.dice, 1)})
	if err != nil {
		panic(err) // the simulator's own fault
	}
	pipe := emulator.NewPipe(g.s.platform)
	g.s.pipes = append(g.s.pipes, pipe)
	b, err := g.other(power, pipe)
	if err != nil {
		panic(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	g.s.closers = append(g.s.closers, func() {
		stop()
		_ = errors.Join(<-ended, g.store.Close()) // nobody asks how
	})
}

// other makes the bot of the other process.
func (g *rival) other(power *power, pipe *emulator.Server) (*bot.Bot, error) {
	router, err := bot.NewRouter(bot.RouterConfig{Routes: g.routes()})
	if err != nil {
		return nil, err
	}
	wire := &wire{power: power, dice: g.s.dice, trace: g.s.trace, next: pipe.Transport(), rush: 1, left: &g.s.left, spare: g.s.platform.Disturb}
	disk := disk{g.store, power, g.s.dice}
	return bot.New(bot.Config{
		Accounts: []bot.Account{accountAt(pipe.BaseURL(), rivalName)}, Store: disk, Router: router, Transport: g.between(wire, "rival"),
		Log: slog.New(slog.DiscardHandler), PollInterval: 500 * time.Millisecond, Pace: &event.Pace{}, RequestTimeout: requestTimeout,
		ReconcileGrace: grace, Ceiling: bot.Ceiling{Max: -1},
		Yield: func(ctx context.Context, what string) context.Context {
			_ = disk.seek(ctx, "yield %s", what)
			return context.WithValue(ctx, actor{}, what)
		},
	})
}

// between lets messages to visitors take so long that both bots read a question before either has answered it.
func (g *rival) between(next http.RoundTripper, who string) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		what, _, err := identify(r)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(what, "send_message") && g.isToVisitor(what) {
			d := g.s.dice.draw(who + " slow " + what)
			if err := g.s.dice.wait(r.Context(), nil, d.between(sharedLeast, sharedMost), who+" slow "+what); err != nil {
				return nil, err
			}
		}
		return next.RoundTrip(r)
	})
}

// isToVisitor reports whether a call is about a visitor.
func (g *rival) isToVisitor(what string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.visitors, func(v visitor) bool { return strings.Contains(what, fmt.Sprint("user_id=", v.who)) })
}

// roundTripper is a function as an http.RoundTripper.
type roundTripper func(r *http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (g *rival) configure(cfg *bot.Config) {
	a := accountAt(cfg.Accounts[0].BaseURL, rivalName)
	a.Pace, a.PollInterval = &event.Pace{}, 500*time.Millisecond
	cfg.Accounts = append(cfg.Accounts, a)
	cfg.Transport = g.between(cfg.Transport, fmt.Sprint("life ", g.s.incarnations))
}

func (g *rival) routes() []bot.Route {
	onShared := func(_ context.Context, t *bot.Turn) bool { return t.Trigger.Key.Account == rivalName }
	return []bot.Route{bot.On("shared", bot.AnyMessage().If(onShared), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("open, " + m.Text)
	})}
}

func (g *rival) do(ctx context.Context, _ string) error { return g.visit(ctx) }

// visit lets somebody new ask.
func (g *rival) visit(ctx context.Context) error {
	one, err := g.oneWorks(ctx)
	if err != nil {
		return err
	}
	v := visitor{who: g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-visitor", len(g.visitors))}), once: one}
	g.mu.Lock()
	g.visitors = append(g.visitors, v)
	g.mu.Unlock()
	g.s.platform.Say(v.who, g.account, fmt.Sprint("visit ", len(g.visitors)))
	return nil
}

// oneWorks reports whether exactly one of the two is at work, and both are there.
func (g *rival) oneWorks(ctx context.Context) (bool, error) {
	if g.s.incarnation == nil || g.s.incarnation.power.out.Load() {
		return false, nil
	}
	ours, err := bot.RivalryOf(ctx, g.s.incarnation.store, rivalName)
	if err != nil {
		return false, err
	}
	theirs, err := bot.RivalryOf(ctx, g.store, rivalName)
	return ours.Stopped.IsZero() != theirs.Stopped.IsZero(), err
}

func (g *rival) knows(e emulator.Entry) bool {
	return e.From == g.account || e.To == g.account || slices.ContainsFunc(g.visitors, func(v visitor) bool { return v.who == e.From || v.who == e.To })
}

func (g *rival) judge(mine []emulator.Entry) (wrong []string) {
	heard := map[platform.UserID]int{}
	for _, e := range mine {
		if e.Kind == emulator.Arrived {
			heard[e.To]++
		}
	}
	for i, v := range g.visitors {
		switch n := heard[v.who]; {
		case n == 0:
			wrong = append(wrong, fmt.Sprintf("visitor %d has no answer", i))
		case n > 2, n > 1 && v.once:
			wrong = append(wrong, fmt.Sprintf("visitor %d was answered %d times", i, n))
		}
	}
	return append(wrong, g.wrong...)
}

// after lets people ask until the two have found out, and then some more.
func (g *rival) after(ctx context.Context) error {
	ask := func() error {
		if err := g.visit(ctx); err != nil {
			return err
		}
		d := g.s.dice.draw("between visits")
		return g.s.dice.wait(ctx, nil, d.between(10*time.Second, 40*time.Second), "between visits")
	}
	one := false
	for n := 0; n < mostVisits && !one; n++ {
		if err := ask(); err != nil {
			return err
		}
		var err error
		if one, err = g.oneWorks(ctx); err != nil {
			return err
		}
	}
	if !one {
		g.wrong = append(g.wrong, "the two bots have not found out")
	}
	for range lateVisits {
		if err := ask(); err != nil {
			return err
		}
	}
	return nil
}
