package simulate_test

import (
	"context"
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

// fan is somebody whose posts the bot is to like, and some of which nobody can read at times: what is to be done about such a post
// fails again and again, while all others go on. A neighbour who only talks does not wait for it.
type fan struct {
	s             *simulation
	who, next     platform.UserID
	said          int
	faults        emulator.Faults // those of the platform now
	calm          time.Time       // when after began; zero before
	asked, waited time.Time       // when the neighbour said the last word in the end, and when it was answered; zero before
}

// faded is what posts say that cannot be read.
const faded = "faded"

// neighbourWaits is for how long a neighbour waits at most, with all that a poll, a turn and a commit may take, and a request that goes astray.
const neighbourWaits = 45*time.Second + requestTimeout + grace

func drawFan(dice *rand.Rand) []string {
	steps := make([]string, 8+dice.IntN(16))
	for i := range steps {
		steps[i] = []string{faded, faded, "fresh", "word", "word", "word", "fades", "mends"}[dice.IntN(8)]
	}
	return steps
}

func newFan(s *simulation) workload { return &fan{s: s, faults: s.plan.faults} }

func (g *fan) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-fan"})
	g.next = g.s.platform.AddPerson(emulator.Person{Username: "guest-neighbour"})
}

func (g *fan) configure(*bot.Config) {}

func (g *fan) routes() []bot.Route {
	return []bot.Route{
		bot.On("fan", bot.AnyMessage().If(isFrom(g.who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
			id, err := strconv.ParseInt(strings.TrimPrefix(m.Text, "like "), 10, 64)
			t.Like(platform.PostID(id))
			return err
		}),
		bot.On("neighbour", bot.AnyMessage().If(isFrom(g.next)), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply("got " + m.Text)
		}),
	}
}

func (g *fan) do(_ context.Context, what string) error {
	g.said++
	switch p := g.s.platform; what {
	case "fades", "mends":
		g.faults.Unreadable = map[string]string{"fades": faded}[what]
		p.SetFaults(g.faults)
	case "word":
		p.Say(g.next, g.s.account, fmt.Sprint("word ", g.said))
	default:
		p.Say(g.who, g.s.account, fmt.Sprint("like ", p.Post(g.who, fmt.Sprint(what, " ", g.said))))
	}
	return nil
}

func (g *fan) knows(e emulator.Entry) bool {
	mine := []platform.UserID{g.who, g.next}
	return slices.Contains(mine, e.From) || slices.Contains(mine, e.To)
}

// after lets posts fade in peace, until they are known to fail. Who speaks then is answered soon; and once they can be read again, all are liked.
func (g *fan) after(ctx context.Context) error {
	g.faults, g.calm = emulator.Faults{}, time.Now().Add(-1)
	for _, what := range []string{"fades", faded, faded} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
	}
	time.Sleep(40 * time.Second)
	if err := g.do(ctx, "word"); err != nil {
		return err
	}
	g.asked = time.Now()
	time.Sleep(neighbourWaits)
	g.waited = time.Now()
	return g.do(ctx, "mends")
}

func (g *fan) judge(mine []emulator.Entry) (wrong []string) {
	var wanted, got []string
	liked := map[platform.PostID]int{}
	for _, e := range mine {
		switch {
		case e.Kind == emulator.Said && e.From == g.next:
			wanted = append(wanted, "got "+e.Text)
		case e.Kind == emulator.Arrived && e.To == g.next:
			got = append(got, e.Text)
			if !g.asked.IsZero() && e.At.After(g.waited) {
				wrong = append(wrong, fmt.Sprintf("%q came only after posts that could not be read were given up", e.Text))
			}
		case e.Kind == emulator.Liked:
			liked[e.Post]++
		case e.Kind == emulator.Unliked:
			wrong = append(wrong, fmt.Sprintf("the like of the post %d was taken back", e.Post))
		}
	}
	for _, e := range ofKind(mine, emulator.Posted) {
		// What could not be read for ten minutes is left to a person, and so it is at once where no code tells a fault from a refusal.
		told := g.s.plan.dialect.Dialect.Code != emulator.CodeAbsent
		if n := liked[e.Post]; n > 1 || n == 0 && (!strings.HasPrefix(e.Text, faded) || told && e.At.After(g.calm) && !g.calm.IsZero()) {
			wrong = append(wrong, fmt.Sprintf("the post %d, %q, was liked %d times", e.Post, e.Text, liked[e.Post]))
		}
	}
	return append(append(wrong, inOrder(wanted, got)...), missing(wanted, got)...)
}
