package simulate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// waiter is people who are asked something and have a limit for their answer, which mostly passes while the bot is down
// or hears nothing. Who answered in time is not told otherwise.
type waiter struct {
	s    *simulation
	who  []platform.UserID
	said int
}

const (
	waiters     = 2
	waitersTime = 3 * time.Second
)

func drawWaiter(dice *rand.Rand) []string {
	steps := make([]string, 12+dice.IntN(20))
	for i := range steps {
		steps[i] = strconv.Itoa(dice.IntN(waiters)) + []string{"begin", "answer"}[dice.IntN(2)]
	}
	return steps
}

func newWaiter(s *simulation) workload { return &waiter{s: s} }

func (g *waiter) begin() {
	for i := range waiters {
		g.who = append(g.who, g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-waiter", i)}))
	}
}

func (g *waiter) configure(*bot.Config) {}

func (g *waiter) routes() []bot.Route {
	mine := func(_ context.Context, t *bot.Turn) bool { return slices.Contains(g.who, t.Peer().ID) }
	return []bot.Route{
		bot.On("waiter", bot.AnyMessage().If(mine), func(_ context.Context, t *bot.Turn, m event.Message) error {
			if strings.HasPrefix(m.Text, "begin") {
				data, err := json.Marshal(m.Text)
				if err != nil {
					return err
				}
				t.SetTimer("waiter", t.Now.Add(waitersTime), data)
			} else {
				t.Cancel("waiter")
			}
			return t.Reply("got " + m.Text)
		}),
		bot.On("waiter-limit", bot.Timer("waiter").If(mine), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			var asked string
			if err := json.Unmarshal(timer.Data, &asked); err != nil {
				return err
			}
			return t.Message("too late for " + asked)
		}),
	}
}

func (g *waiter) do(_ context.Context, what string) error {
	g.said++
	g.s.platform.Say(g.who[what[0]-'0'], g.s.account, fmt.Sprint(what[1:], " ", g.said))
	return nil
}

func (g *waiter) knows(e emulator.Entry) bool {
	return slices.Contains(g.who, e.From) || slices.Contains(g.who, e.To)
}

func (g *waiter) judge(mine []emulator.Entry) (wrong []string) {
	for _, who := range g.who {
		said := slices.DeleteFunc(ofKind(mine, emulator.Said), func(e emulator.Entry) bool { return e.From != who })
		var answers []string
		for _, a := range ofKind(mine, emulator.Arrived) {
			asked, late := strings.CutPrefix(a.Text, "too late for ")
			switch {
			case a.To != who:
			case !late:
				answers = append(answers, a.Text)
			case inTime(said, asked):
				wrong = append(wrong, fmt.Sprintf("%q, although they answered in time", a.Text))
			}
		}
		wanted := whatIsSaid(said)
		for i := range wanted {
			wanted[i] = "got " + wanted[i]
		}
		wrong = append(append(wrong, inOrder(wanted, answers)...), missing(wanted, answers)...)
	}
	return wrong
}

// inTime reports whether somebody has said something within the time that they were given when they said asked.
func inTime(said []emulator.Entry, asked string) bool {
	at := slices.IndexFunc(said, func(e emulator.Entry) bool { return e.Text == asked })
	return at >= 0 && at+1 < len(said) && said[at+1].At.Before(said[at].At.Add(waitersTime))
}

func (g *waiter) after(context.Context) error { return nil }
