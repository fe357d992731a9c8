package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// phantoms are rows of people who are not there, and one who is, in the midst of them. She is answered, and when they are gone
// nobody asks for them any more.
type phantoms struct {
	s     *simulation
	real  platform.UserID
	said  int
	wrong []string
}

func drawPhantoms(dice *rand.Rand) []string {
	all := []string{"appear", "appear", "appear restless", "vanish", "vanish", "speaks", "speaks", "speaks"}
	steps := make([]string, 8+dice.IntN(12))
	for i := range steps {
		steps[i] = all[dice.IntN(len(all))]
	}
	return steps
}

func newPhantoms(s *simulation) workload { return &phantoms{s: s} }

// begin lets her write: an account that has never read a message cannot know that there is a way to.
func (g *phantoms) begin() {
	g.real = g.s.platform.AddPerson(emulator.Person{Username: "guest-real"})
	g.s.platform.Say(g.real, g.s.account, "long ago")
}

func (g *phantoms) configure(*bot.Config) {}

func (g *phantoms) routes() []bot.Route {
	return []bot.Route{bot.On("real", bot.AnyMessage().If(isFrom(g.real)), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("got " + m.Text)
	})}
}

func (g *phantoms) do(_ context.Context, what string) error {
	d := g.s.dice.draw(fmt.Sprint("phantoms ", g.said, what))
	switch what {
	case "appear", "appear restless":
		g.s.platform.TroubleLists(emulator.ListTrouble{Account: g.s.account, Phantoms: int(1 + d.n(150)), Restless: what != "appear"})
	case "vanish":
		g.s.platform.TroubleLists(emulator.ListTrouble{})
	case "speaks":
		g.said++
		g.s.platform.Say(g.real, g.s.account, fmt.Sprint("word ", g.said))
	default:
	}
	return nil
}

func (g *phantoms) knows(e emulator.Entry) bool { return e.From == g.real || e.To == g.real }

func (g *phantoms) judge(mine []emulator.Entry) []string {
	var wanted []string
	for _, text := range whatIsSaid(ofKind(mine, emulator.Said)) {
		wanted = append(wanted, "got "+text)
	}
	got := whatIsSaid(ofKind(mine, emulator.Arrived))
	return append(append(inOrder(wanted, got), missing(wanted, got)...), g.wrong...)
}

// after lets them vanish for good, and counts what is asked for then.
func (g *phantoms) after(context.Context) error {
	g.s.platform.TroubleLists(emulator.ListTrouble{})
	time.Sleep(3 * time.Minute)
	reads := g.s.platform.Calls("get_messages")
	time.Sleep(20 * time.Minute) // sweeps, which last ten minutes, are all that is left
	if n := g.s.platform.Calls("get_messages") - reads; n > 100 {
		g.wrong = append(g.wrong, fmt.Sprintf("%d chats were read in the silence after phantoms", n))
	}
	return nil
}
