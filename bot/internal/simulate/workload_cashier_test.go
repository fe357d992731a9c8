package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// cashier is a service outside of the platform that tells the bot what somebody has paid, one payment after another, each until the bot has taken it, and some
// of them again later. The payer is thanked for each once, in their order. A word of the payer's is delivered to a friend, and on to a second one by the turn of
// that delivery: each hears it once.
type cashier struct {
	s      *simulation
	bot    *bot.Bot
	payer  platform.UserID
	friend [2]platform.UserID
	owed   []int // payments that the bot has not taken yet, in their order
	paid   int
	said   int
	over   bool // after was done
}

func drawCashier(dice *rand.Rand) []string {
	steps := make([]string, 6+dice.IntN(10))
	for i := range steps {
		steps[i] = [...]string{"pay", "pay", "pay again", "pass on"}[dice.IntN(4)]
	}
	return steps
}

func newCashier(s *simulation) workload { return &cashier{s: s} }

func (g *cashier) begin() {
	g.payer = g.s.platform.AddPerson(emulator.Person{Username: "guest-payer"})
	for i := range g.friend {
		g.friend[i] = g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-friend-", i)})
	}
}

func (g *cashier) configure(cfg *bot.Config) { cfg.SpeakFirst = true }

func (g *cashier) joins(b *bot.Bot) { g.bot = b }

func (g *cashier) routes() []bot.Route {
	const paid, passed = "cashier/paid", "cashier/passed"
	pass := func(t *bot.Turn, to int, words string) error {
		return t.Deliver(event.Delivery{To: event.Key{Peer: g.friend[to]}, Name: passed, ID: fmt.Sprint(to, "/", words), Data: words})
	}
	return []bot.Route{
		bot.On(paid, bot.Delivered[int](paid), func(_ context.Context, t *bot.Turn, n int) error { return t.Reply(fmt.Sprint("thanks ", n)) }),
		bot.On(passed, bot.Delivered[string](passed), func(_ context.Context, t *bot.Turn, words string) error {
			if t.Peer().ID == g.friend[0] {
				if err := pass(t, 1, words); err != nil {
					return err
				}
			}
			return t.Reply(words)
		}),
		bot.On("cashier", bot.AnyMessage().If(func(_ context.Context, t *bot.Turn) bool { return t.Peer().ID == g.payer }), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return pass(t, 0, m.Text)
		}).Within(-1),
	}
}

func (g *cashier) do(ctx context.Context, what string) error {
	switch what {
	case "pay":
		g.paid++
		g.owed = append(g.owed, g.paid)
		g.payUp(ctx)
	case "pay again":
		if n := g.paid / 2; n > 0 && (len(g.owed) == 0 || n < g.owed[0]) {
			_ = g.deliver(ctx, n) // the bot has it
		}
	default:
		g.said++
		g.s.platform.Say(g.payer, g.s.account, fmt.Sprint("pass ", g.said))
	}
	return nil
}

// payUp delivers what is owed, as far as the bot takes it.
func (g *cashier) payUp(ctx context.Context) {
	for len(g.owed) > 0 && g.deliver(ctx, g.owed[0]) == nil {
		g.owed = g.owed[1:]
	}
}

// deliver delivers a payment. Any error says that nobody knows whether the bot has it.
func (g *cashier) deliver(ctx context.Context, n int) error {
	incarnation, b := g.s.incarnation, g.bot
	if incarnation == nil {
		return bot.ErrNotServed
	}
	ended := make(chan error, 1)
	g.s.left.Go(func() {
		ended <- b.Deliver(ctx, event.Delivery{To: event.Key{Account: accountName, Peer: g.payer}, Name: "cashier/paid", ID: fmt.Sprint(n), Data: n})
	})
	select {
	case err := <-ended:
		return err
	case <-incarnation.power.dark:
		return bot.ErrNotServed
	case <-time.After(10 * time.Second):
		return context.DeadlineExceeded
	}
}

func (g *cashier) knows(e emulator.Entry) bool {
	for _, who := range [...]platform.UserID{g.payer, g.friend[0], g.friend[1]} {
		if e.From == who || e.To == who {
			return true
		}
	}
	return false
}

func (g *cashier) after(ctx context.Context) error {
	for range 60 {
		if g.payUp(ctx); len(g.owed) == 0 {
			break
		}
		time.Sleep(time.Second)
	}
	if len(g.owed) > 0 {
		return fmt.Errorf("in peace the bot takes no payment: %d are owed", len(g.owed))
	}
	time.Sleep(time.Minute)
	g.over = true
	return nil
}

func (g *cashier) judge(mine []emulator.Entry) (wrong []string) {
	heard := map[platform.UserID][]string{}
	for _, e := range mine {
		if e.Kind == emulator.Arrived {
			heard[e.To] = append(heard[e.To], e.Text)
		}
	}
	for _, x := range []struct {
		who   platform.UserID
		what  string
		count int
	}{{g.payer, "thanks ", g.paid}, {g.friend[0], "pass ", g.said}, {g.friend[1], "pass ", g.said}} {
		var want []string
		for i := range x.count {
			want = append(want, fmt.Sprint(x.what, i+1))
		}
		is, should := strings.Join(heard[x.who], ", "), strings.Join(want, ", ")
		if is != should && (g.over || !strings.HasPrefix(should, is)) {
			wrong = append(wrong, fmt.Sprintf("%d was to hear %q, and has heard %q", x.who, should, is))
		}
	}
	return wrong
}
