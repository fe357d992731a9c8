package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// phone is somebody whose conversation the account's owner takes over, on the phone, and gives back by
// silence. What is said before and after is answered once and in order; what is said meanwhile is not,
// or once, when it was on its way.
type phone struct {
	s    *simulation
	who  platform.UserID
	said int
}

const phoneSilence = 20 * time.Minute

func drawPhone(dice *rand.Rand) []string {
	steps := make([]string, 8+dice.IntN(16))
	owner := dice.IntN(len(steps)) // not before this
	for i := range steps {
		steps[i] = "says"
		if i >= owner && dice.IntN(4) == 0 {
			steps[i] = "owner"
		}
	}
	return steps
}

func newPhone(s *simulation) workload { return &phone{s: s} }

func (g *phone) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-phone"})
}

func (g *phone) configure(cfg *bot.Config) { cfg.TakeoverFor = phoneSilence }

func (g *phone) routes() []bot.Route {
	return []bot.Route{bot.On("phone", bot.AnyMessage().If(isFrom(g.who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("got " + m.Text)
	})}
}

func (g *phone) do(_ context.Context, what string) error {
	g.said++
	if what == "owner" {
		g.s.platform.SayAs(g.s.account, g.who, fmt.Sprint("I, ", g.said))
		return nil
	}
	g.s.platform.Say(g.who, g.s.account, fmt.Sprint("word ", g.said))
	return nil
}

func (g *phone) knows(e emulator.Entry) bool { return e.From == g.who || e.To == g.who }

// judge looks at each word in turn: its answer comes at most once, and not before that of an earlier
// one. It may be missing when the owner spoke before it could be given and was not silent for long
// enough before the word.
func (g *phone) judge(mine []emulator.Entry) (wrong []string) {
	var words, answers []emulator.Entry
	var spoken []time.Time
	for _, e := range mine {
		switch e.Kind {
		case emulator.Said:
			words = append(words, e)
		case emulator.Arrived:
			answers = append(answers, e)
		case emulator.SaidByPhone:
			spoken = append(spoken, e.At)
		default:
		}
	}
	last := -1
	for _, a := range answers {
		at := slices.IndexFunc(words, func(w emulator.Entry) bool { return "got "+w.Text == a.Text })
		switch {
		case at < 0:
			wrong = append(wrong, fmt.Sprintf("not due: %q", a.Text))
		case at <= last:
			wrong = append(wrong, fmt.Sprintf("doubled, or out of order: %q", a.Text))
		}
		last = max(last, at)
	}
	for _, w := range words {
		silent := slices.ContainsFunc(spoken, func(at time.Time) bool { return w.At.Before(at.Add(phoneSilence)) })
		if !silent && !slices.ContainsFunc(answers, func(a emulator.Entry) bool { return a.Text == "got "+w.Text }) {
			wrong = append(wrong, fmt.Sprintf("lost: %q has no answer", w.Text))
		}
	}
	return wrong
}

// after waits until the conversation is the bot's again, which has to answer then.
func (g *phone) after(ctx context.Context) error {
	time.Sleep(phoneSilence + time.Minute)
	return g.do(ctx, "says")
}
