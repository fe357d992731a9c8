package simulate_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// copied is a world in which copies of the database, of any age, are put back, with an owner beside who answers by hand.
type copied struct {
	*testing.T

	w      *bottest.World
	dice   *rand.Rand
	people []*bottest.Person
	said   int
}

var copies = flag.Uint64("copies", 100, "how many histories with copies that are put back")

const ownersSilence = 40 * time.Minute

func copyRoutes() []bot.Route {
	said := func(prefix string) bot.Matcher[event.Message] {
		return bot.AnyMessage().Where(func(m event.Message) bool { return strings.HasPrefix(m.Text, prefix) })
	}
	later := bot.On("later", said("later"), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Message("as promised: "+m.Text, bot.In(10*time.Minute))
	})
	remind := bot.On("remind", said("remind"), func(_ context.Context, t *bot.Turn, m event.Message) error {
		t.After(12*time.Minute, m.Text)
		return nil
	})
	nag := bot.On("nag", bot.Timers("remind"), func(_ context.Context, t *bot.Turn, e event.Timer) error { return t.Message("you asked: " + e.Name) })
	answers := bot.On("answers", bot.AnyMessage(), func(_ context.Context, t *bot.Turn, m event.Message) error { return t.Reply("answer to " + m.Text) }).Ordered(1)
	says := func(_ event.Account, text string) bool {
		return strings.HasPrefix(text, "answer to ") || strings.HasPrefix(text, "as promised: ") || strings.HasPrefix(text, "you asked: ")
	}
	return []bot.Route{later, remind, nag, engine.Route(answers, engine.Ways{Says: says})}
}

// TestRestoredCopies puts copies of any age back, and looks at the platform's ledger: nothing is doubled, and nothing is said over the owner.
func TestRestoredCopies(t *testing.T) {
	t.Parallel()
	for seed := range *copies {
		if !effort.Sampled(int(seed)) {
			continue
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			effort.Case(t)
			cfg := bot.Config{PollInterval: 5 * time.Second, Pace: &event.Pace{}, TakeoverFor: ownersSilence}
			bottest.Run(t, bottest.Config{Bot: cfg, Routes: copyRoutes(), Patience: time.Hour}, func(w *bottest.World) {
				c := &copied{T: t, w: w, dice: rand.New(rand.NewPCG(seed, 38))}
				for i := range 4 {
					c.people = append(c.people, w.Person(fmt.Sprint("p", i)))
				}
				c.goOn()
			})
		})
	}
}

// goOn lets people, the owner and the bot go on for a while, with a copy that is put back, twice.
func (c *copied) goOn() {
	for range 2 {
		c.steps(c.dice.IntN(12))
		c.w.Stop()
		held := c.w.Backup()
		c.maybe(0.3, func() { c.steps(c.dice.IntN(3)) })
		c.w.Start()
		c.steps(c.dice.IntN(12))
		if c.dice.IntN(2) == 0 {
			c.w.Stop()
		} else {
			c.w.CrashStop()
		}
		c.maybe(0.5, func() { c.steps(c.dice.IntN(4)) })
		c.w.PutBack(held, true)
		c.maybe(0.5, func() { c.steps(c.dice.IntN(4)) })
		c.w.Start()
		c.maybe(0.3, func() { c.w.Advance(time.Duration(c.dice.IntN(3000)) * time.Millisecond); c.w.Crash() })
	}
	c.steps(4)
	c.w.Advance(2 * time.Hour)
	c.judge()
	for _, p := range c.people { // nobody is forgotten
		p.Says("still there?")
	}
	c.w.Advance(5 * time.Minute)
	for _, p := range c.people {
		if last := c.heard(p); len(last) == 0 || last[len(last)-1].Text != "answer to still there?" {
			c.Errorf("%d is not answered any more", p.ID())
		}
	}
}

func (c *copied) maybe(chance float64, do func()) {
	if c.dice.Float64() < chance {
		do()
	}
}

// steps lets things happen, whether the bot runs or not.
func (c *copied) steps(n int) {
	for range n {
		p := c.people[c.dice.IntN(len(c.people))]
		c.said++
		switch c.dice.IntN(7) {
		case 0:
			c.w.Account("bot").Tells(p, fmt.Sprintf("by hand %d", c.said))
		case 1:
			p.Says(fmt.Sprint("later ", c.said))
		case 2:
			p.Says(fmt.Sprint("remind ", c.said))
		default:
			p.Says(fmt.Sprint("question ", c.said))
		}
		c.w.Advance([]time.Duration{time.Second, 20 * time.Second, 3 * time.Minute, 15 * time.Minute}[c.dice.IntN(4)])
	}
}

// heard returns what the account has said to somebody, the bot and the owner.
func (c *copied) heard(p *bottest.Person) []emulator.Entry {
	account := c.w.Account("bot").ID()
	return slices.DeleteFunc(c.w.Platform().Ledger().Since(0), func(e emulator.Entry) bool {
		return e.From != account || e.To != p.ID() || e.Kind != emulator.Arrived && e.Kind != emulator.SaidByPhone
	})
}

func (c *copied) judge() {
	for _, p := range c.people {
		texts, hers := map[string]int{}, time.Time{}
		for _, e := range c.heard(p) {
			if e.Kind == emulator.SaidByPhone {
				hers = e.At
				continue
			}
			if texts[e.Text]++; texts[e.Text] > 1 {
				c.Errorf("%d has heard %q twice", p.ID(), e.Text)
			}
			if !hers.IsZero() && e.At.After(hers.Add(10*time.Second)) && e.At.Before(hers.Add(ownersSilence-2*time.Minute)) {
				c.Errorf("%d has heard %q %v after the owner's words", p.ID(), e.Text, e.At.Sub(hers))
			}
		}
	}
}
