package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// deadly is somebody some of whose words end the process by the handler that reads them, at each start anew, until they are set aside. All that is
// harmless, of hers and of two others, is answered all the same, once and in order, and nothing of it is ever set aside.
type deadly struct {
	s    *simulation
	who  [3]platform.UserID
	said int

	mu     sync.Mutex
	deaths map[string]int // by the words that ended the process
}

const (
	poison = "poison"
	// mostDeaths is how often words end the process at most: five times alone, and now and then before it is known that they do, behind a start of the
	// machine, or beside what took its time alone. From then on they are harmless.
	mostDeaths = 12
	// deadlySeconds is for how long it is looked whether all are set aside, once nothing else befalls the bot.
	deadlySeconds = 1800
)

func drawDeadly(dice *rand.Rand) []string {
	steps := make([]string, 10+dice.IntN(14))
	for i := range steps {
		steps[i] = fmt.Sprint("word ", dice.IntN(3))
	}
	for range 1 + dice.IntN(3) {
		steps[dice.IntN(len(steps))] = []string{poison, "slow " + poison}[dice.IntN(2)] + " 0"
	}
	return steps
}

func newDeadly(s *simulation) workload { return &deadly{s: s, deaths: map[string]int{}} }

func (g *deadly) begin() {
	for i := range g.who {
		g.who[i] = g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-deadly", i)})
	}
}

func (g *deadly) configure(*bot.Config) {}

func (g *deadly) routes() []bot.Route {
	incarnation := g.s.incarnations
	var all []bot.Route
	for i, who := range g.who {
		all = append(all, bot.On(fmt.Sprint("deadly", i), bot.AnyMessage().If(isFrom(who)), func(ctx context.Context, t *bot.Turn, m event.Message) error {
			if strings.Contains(m.Text, poison) {
				return g.kill(ctx, incarnation, m.Text)
			}
			return t.Reply("got " + m.Text)
		}))
	}
	return all
}

// kill ends the process, as os.Exit does or a goroutine that panics.
func (g *deadly) kill(ctx context.Context, incarnation int, text string) error {
	p := g.s.power.Load()
	if p.incarnation != incarnation { // this one is dead already
		return errDark
	}
	if strings.HasPrefix(text, "slow") {
		name := fmt.Sprintf("life %d %s", incarnation, text)
		d := g.s.dice.draw(name)
		if err := g.s.dice.wait(ctx, p.dark, d.between(time.Second, 3*time.Second), name); err != nil {
			return err
		}
	}
	if p.dead() != nil {
		return errDark
	}
	g.mu.Lock()
	g.deaths[text]++
	over := g.deaths[text] > mostDeaths
	g.mu.Unlock()
	if over { // that is a fault, and a run has an end all the same
		return nil
	}
	p.arm(1)
	return p.boundary("the handler of " + text)
}

func (g *deadly) do(_ context.Context, what string) error {
	g.said++
	at := strings.LastIndex(what, " ")
	g.s.platform.Say(g.who[what[at+1]-'0'], g.s.account, fmt.Sprint(what[:at], " ", g.said))
	return nil
}

func (g *deadly) knows(e emulator.Entry) bool {
	return slices.Contains(g.who[:], e.From) || slices.Contains(g.who[:], e.To)
}

// comesHome starts the bot again each time that it has died, until it does not any more.
func (g *deadly) comesHome(ctx context.Context) error {
	for range deadlySeconds {
		if err := g.s.live(ctx, time.Now().Add(time.Second), &result{}); err != nil {
			return err
		}
		if wrong := g.setAside(ctx); len(wrong) == 0 && g.s.incarnation != nil && g.s.incarnation.power.dead() == nil {
			return nil
		}
	}
	return fmt.Errorf("what ends the process is not set aside: %v, after %v", g.setAside(ctx), g.deaths)
}

func (g *deadly) after(context.Context) error { return nil }

func (g *deadly) judge(mine []emulator.Entry) []string {
	wrong := g.setAside(context.Background())
	for _, who := range g.who {
		var wanted, got []string
		for _, e := range mine {
			switch {
			case e.Kind == emulator.Said && e.From == who && !strings.Contains(e.Text, poison):
				wanted = append(wanted, "got "+e.Text)
			case e.Kind == emulator.Arrived && e.To == who:
				got = append(got, e.Text)
			}
		}
		wrong = append(append(wrong, inOrder(wanted, got)...), missing(wanted, got)...)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for text, n := range g.deaths {
		if n > mostDeaths {
			wrong = append(wrong, fmt.Sprintf("%q has ended the process %d times", text, n))
		}
	}
	return wrong
}

// setAside tells what is not set aside although it ends the process, and what is although it does not: of anybody.
func (g *deadly) setAside(ctx context.Context) (wrong []string) {
	why := event.Because("crash.repeated", "tries", "5")
	var aside []string
	err := g.s.inspect(ctx, func(d inspect.Inspector) error {
		rows, err := d.Events(ctx, record.EventQuery{Account: accountName, State: record.EventQuarantined, Limit: 1000})
		for i := range rows {
			switch e := &rows[i]; {
			case e.Peer == g.who[0] && strings.Contains(e.Text, poison) && e.Record.Why == why:
				aside = append(aside, e.Text)
			case slices.Contains(g.who[:], e.Peer), e.Record.Why.Code() == why.Code():
				wrong = append(wrong, fmt.Sprintf("set aside: %q, since %s", e.Text, e.Record.Why))
			}
		}
		return err
	})
	if err != nil {
		return append(wrong, err.Error())
	}
	for _, e := range g.s.platform.Ledger().Since(0) {
		if e.Kind == emulator.Said && e.From == g.who[0] && strings.Contains(e.Text, poison) && !slices.Contains(aside, e.Text) {
			wrong = append(wrong, fmt.Sprintf("it is not set aside: %q", e.Text))
		}
	}
	return wrong
}
