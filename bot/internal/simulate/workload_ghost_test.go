package simulate_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// ghost are people some of whose rows show absurd ids for a while, in a chat and in the notifications, and come to
// show their own later, or vanish; so do some answers of the bot. Whatever is shown, each is answered once, and so is
// all that they do otherwise. What vanished may have been overlooked; and an answer that is in doubt beside one that shows
// an absurd id may be held.
type ghost struct {
	s         *simulation
	who       [2]platform.UserID
	said      int
	strange   []string // what shows an absurd id at the moment
	vanished  []string
	answers   bool // so does an answer of the bot
	answered  bool // one to her ever did
	held      []string
	ids       []int64 // that are left to be shown
	notations []int64
}

func drawGhost(dice *rand.Rand) []string {
	all := []string{
		"0 says", "0 says", "1 says", "0 names", "1 names", "0 says oddly", "0 says oddly", "1 names oddly", "0 shows oddly", "1 is answered oddly",
		"all right", "all right", "vanish",
	}
	steps := make([]string, 10+dice.IntN(16))
	for i := range steps {
		steps[i] = all[dice.IntN(len(all))]
	}
	return steps
}

func newGhost(s *simulation) workload {
	return &ghost{
		s: s, ids: []int64{math.MaxInt64, math.MaxInt32, math.MaxInt64 - 1, 1 << 50},
		notations: []int64{math.MaxInt64, math.MaxInt32, 1 << 50},
	}
}

// before is what they say before the first start, which nobody answers.
const before = "before"

func (g *ghost) begin() {
	for i := range g.who {
		g.who[i] = g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-ghost", i)})
		g.s.platform.Say(g.who[i], g.s.account, before) // nothing is absurd beside nothing
		g.s.platform.Mention(g.who[i], g.s.account, before)
	}
}

func (g *ghost) configure(*bot.Config) {}

func (g *ghost) routes() []bot.Route {
	var all []bot.Route
	for i, who := range g.who {
		all = append(all,
			bot.On(fmt.Sprint("ghost", i), bot.AnyMessage().If(isFrom(who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
				return t.Reply("got " + m.Text)
			}),
			bot.On(fmt.Sprint("ghost-names", i), bot.AnyMention().If(isFrom(who)), func(_ context.Context, t *bot.Turn, m event.Mention) error {
				return t.Message("got " + m.Text)
			}))
	}
	return all
}

// next takes an absurd id. What shows none at the moment may show it again.
func next(ids *[]int64) int64 {
	if len(*ids) == 0 {
		return 0
	}
	id := (*ids)[0]
	*ids = (*ids)[1:]
	return id
}

func (g *ghost) do(_ context.Context, what string) error {
	p, account := g.s.platform, g.s.account
	number, deed, _ := strings.Cut(what, " ")
	who := g.who[0]
	if number == "1" {
		who = g.who[1]
	}
	g.said++
	text := fmt.Sprint("word ", g.said)
	switch deed {
	case "says oddly":
		if id := next(&g.ids); id != 0 {
			p.Misnumber(emulator.Misnumbered{From: who, To: account, As: id})
			g.strange = append(g.strange, "got "+text)
		}
		p.Say(who, account, text)
	case "says":
		p.Say(who, account, text)
	case "shows oddly":
		if last := g.last(who); last != "" {
			if id := next(&g.ids); id != 0 {
				p.Misnumber(emulator.Misnumbered{From: who, To: account, As: id, Last: true})
				g.strange = append(g.strange, last)
			}
		}
	case "names oddly":
		if id := next(&g.notations); id != 0 {
			p.Misnumber(emulator.Misnumbered{To: account, As: id})
			g.strange = append(g.strange, g.named(text))
		}
		p.Mention(who, account, text)
	case "names":
		p.Mention(who, account, text)
	case "is answered oddly":
		if id := next(&g.ids); id != 0 {
			p.Misnumber(emulator.Misnumbered{From: account, To: who, As: id})
			g.answers, g.answered = true, true
		}
		p.Say(who, account, text)
	default:
		g.restore(what == "vanish")
	}
	return nil
}

// last returns the answer to what somebody said last, "" when that is nothing.
func (g *ghost) last(who platform.UserID) string {
	for _, e := range slices.Backward(g.s.platform.Ledger().Since(0)) {
		if e.Kind == emulator.Said && e.From == who && e.Text != before {
			return "got " + e.Text
		}
	}
	return ""
}

// named is the answer to a post that names the account.
func (g *ghost) named(text string) string { return "got @" + string(g.s.names[0]) + " " + text }

// restore lets everything show its own id, or vanish: but no answer of the bot, which would have to be given again while
// it is in doubt.
func (g *ghost) restore(vanish bool) {
	if vanish && !g.answers {
		g.vanished = append(g.vanished, g.strange...)
		g.s.platform.Renumber(true)
	} else {
		g.s.platform.Renumber(false)
	}
	g.strange, g.answers = nil, false
}

func (g *ghost) knows(e emulator.Entry) bool {
	return slices.Contains(g.who[:], e.From) || slices.Contains(g.who[:], e.To)
}

func (g *ghost) judge(mine []emulator.Entry) (wrong []string) {
	for _, who := range g.who {
		var due []string
		for _, e := range with(mine, who) {
			if (e.Kind == emulator.Said || e.Kind == emulator.Mentioned) && !strings.HasSuffix(e.Text, before) {
				due = append(due, "got "+e.Text)
			}
		}
		got := whatIsSaid(ofKind(with(mine, who), emulator.Arrived))
		excused := func(text string) bool { return slices.Contains(g.vanished, text) || slices.Contains(g.held, text) }
		wrong = append(wrong, missing(slices.DeleteFunc(slices.Clone(due), excused), got)...)
		for i, text := range got {
			if !slices.Contains(due, text) || slices.Contains(got[:i], text) {
				wrong = append(wrong, fmt.Sprintf("not due, or doubled: %q", text))
			}
		}
	}
	return wrong
}

// after lets everything be as it should, and everybody act once more.
func (g *ghost) after(ctx context.Context) error {
	g.restore(false)
	time.Sleep(2 * time.Minute)
	for _, what := range []string{"0 says", "1 says", "0 names", "1 names"} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
	}
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		if !g.answered {
			return nil
		}
		held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.who[1], State: event.StateHeld, Limit: 100})
		for i := range held {
			g.held = append(g.held, held[i].Text)
		}
		return err
	})
}
