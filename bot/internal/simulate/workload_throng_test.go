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

// throng is more people than the chat list shows: it is cut by a limit that changes from incarnation to incarnation, by
// connections that break, and by the deadline. Each of them is answered once, in order; those whom no list has shown, as
// soon as one does.
type throng struct {
	s       *simulation
	members []platform.UserID
	said    int
	limited bool // in this incarnation, the bot reads only so much of the list
	wrong   []string
}

const thronging = 14

func drawThrong(dice *rand.Rand) []string {
	all := []string{"one speaks", "one speaks", "some speak", "all speak", "breaks", "slows down", "mends"}
	steps := make([]string, 12+dice.IntN(16))
	for i := range steps {
		steps[i] = all[dice.IntN(len(all))]
	}
	return steps
}

func newThrong(s *simulation) workload { return &throng{s: s} }

func (g *throng) begin() {
	for i := range thronging {
		who := g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-throng-", i)})
		g.members = append(g.members, who)
		if i%2 == 0 {
			g.s.platform.Say(who, g.s.account, "long ago")
		}
	}
}

// configure draws the limit of an incarnation. When all is over, there is none.
func (g *throng) configure(cfg *bot.Config) {
	d := g.s.dice.draw(fmt.Sprint("list limit of life ", g.s.incarnations))
	if g.limited = d.n(4) > 1 && !g.s.peace.Load(); g.limited {
		cfg.ListLimit = 1000 + d.n(4000)
		if slices.Contains(g.s.plan.workloads, "rewriter") { // whose longest message is a chat's row that would not fit: then nothing of the list arrives
			cfg.ListLimit += 16 * bot.MaxMessage
		}
	}
}

func (g *throng) routes() []bot.Route {
	mine := func(_ context.Context, t *bot.Turn) bool { return slices.Contains(g.members, t.Peer().ID) }
	return []bot.Route{bot.On("throng", bot.AnyMessage().If(mine), func(_ context.Context, t *bot.Turn, m event.Message) error {
		return t.Reply("got " + m.Text)
	})}
}

func (g *throng) do(_ context.Context, what string) error {
	d := g.s.dice.draw(fmt.Sprint("throng ", g.said, what))
	first, n := int(d.n(thronging)), 0
	switch what {
	case "one speaks":
		n = 1
	case "some speak":
		n = 4
	case "all speak":
		n = thronging
	case "breaks":
		g.s.platform.TroubleLists(emulator.ListTrouble{Break: int(800 + d.n(5000))})
	case "slows down":
		g.s.platform.TroubleLists(emulator.ListTrouble{Rate: int(100 + d.n(400))})
	case "mends":
		g.s.platform.TroubleLists(emulator.ListTrouble{})
	default:
	}
	for i := range n {
		g.said++
		g.s.platform.Say(g.members[(first+i)%thronging], g.s.account, fmt.Sprint("word ", g.said))
	}
	return nil
}

func (g *throng) knows(e emulator.Entry) bool {
	return slices.Contains(g.members, e.From) || slices.Contains(g.members, e.To)
}

func (g *throng) judge(mine []emulator.Entry) (wrong []string) {
	for _, who := range g.members {
		of := with(mine, who)
		var wanted []string
		for _, text := range whatIsSaid(ofKind(of, emulator.Said)) {
			wanted = append(wanted, "got "+text)
		}
		got := whatIsSaid(ofKind(of, emulator.Arrived))
		wrong = append(append(wrong, inOrder(wanted, got)...), missing(wanted, got)...)
	}
	return append(wrong, g.wrong...)
}

// after looks whether those were answered whom the bot has answered before, although the list is still cut; but for one
// whose cursor a crash has cost: nothing leads to her. Then it arrives whole, and whoever it has hidden until now is
// answered, too.
func (g *throng) after(ctx context.Context) error {
	cursors, err := g.s.incarnation.store.Cursors(ctx, accountName, event.Messages, g.members)
	if err != nil {
		return err
	}
	known := make([]platform.UserID, len(cursors))
	for i := range cursors {
		known[i] = cursors[i].Peer
	}
	g.look("not reached behind the cut", known, 1)
	g.s.platform.TroubleLists(emulator.ListTrouble{})
	if !g.limited {
		time.Sleep(5 * time.Minute)
		g.look("not seen when the list was whole again", g.members, 0)
	}
	if err := g.s.restart(ctx); err != nil {
		return err
	}
	time.Sleep(10 * time.Minute)
	return nil
}

// look notes which of them are not answered, of those who were answered so often.
func (g *throng) look(what string, members []platform.UserID, least int) {
	entries := g.s.platform.Ledger().Since(0)
	for _, who := range members {
		of := with(entries, who)
		got := whatIsSaid(ofKind(of, emulator.Arrived))
		for _, text := range whatIsSaid(ofKind(of, emulator.Said)) {
			if text = "got " + text; len(got) >= least && text != "got long ago" && !slices.Contains(got, text) {
				g.wrong = append(g.wrong, fmt.Sprintf("%s: %q", what, text))
			}
		}
	}
}
