package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// quitter are people who turn away and come back: one blocks the bot and takes the block back, one refuses
// messages for a while, one deletes posts before they are answered, one follows and unfollows, and one is
// told only so much. What comes about comes about once; who has come back is answered.
type quitter struct {
	s       *simulation
	blocker platform.UserID
	shy     platform.UserID
	eraser  platform.UserID
	fickle  platform.UserID
	chatter platform.UserID

	said   int
	closed bool        // the shy one refuses messages
	opened []time.Time // when she ceased to
}

// mostChatter is how much the chatter is told.
const mostChatter = 3

func drawQuitter(dice *rand.Rand) []string {
	all := []string{
		"blocker says", "blocker says", "blocker blocks", "blocker unblocks", "shy says", "shy says", "shy closes", "shy opens",
		"eraser names", "eraser names", "eraser erases", "fickle follows", "fickle unfollows", "chatter says",
	}
	steps := make([]string, 14+dice.IntN(20))
	for i := range steps {
		steps[i] = all[dice.IntN(len(all))]
	}
	return steps
}

func newQuitter(s *simulation) workload { return &quitter{s: s} }

func (g *quitter) begin() {
	person := func(name string) platform.UserID {
		return g.s.platform.AddPerson(emulator.Person{Username: "guest-" + name})
	}
	g.blocker, g.shy, g.eraser, g.fickle, g.chatter = person("blocker"), person("shy"), person("eraser"), person("fickle"), person("chatter")
}

func (g *quitter) configure(*bot.Config) {}

func (g *quitter) routes() []bot.Route {
	answer := func(name string, who platform.UserID, options ...bot.Option) bot.Route {
		return bot.On(name, bot.AnyMessage().If(isFrom(who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
			return t.Reply("got "+m.Text, options...)
		})
	}
	return []bot.Route{
		answer("blocker", g.blocker), answer("shy", g.shy), answer("chatter", g.chatter, bot.AtMost(mostChatter, 0, "chatter")),
		bot.On("eraser", bot.AnyMention().If(isFrom(g.eraser)), func(_ context.Context, t *bot.Turn, m event.Mention) error {
			t.Like(m.Post)
			return t.Reply(fmt.Sprint("read ", m.Post))
		}),
		bot.On("fickle", bot.AnyFollow().If(isFrom(g.fickle)), func(_ context.Context, t *bot.Turn, _ event.Follow) error {
			t.Follow()
			return t.Message("hello", bot.Once("hello"))
		}),
	}
}

func (g *quitter) do(_ context.Context, what string) error {
	p, account := g.s.platform, g.s.account
	g.said++
	text := fmt.Sprint("word ", g.said)
	switch what {
	case "blocker says":
		p.Say(g.blocker, account, text)
	case "blocker blocks":
		p.Block(g.blocker, account)
	case "blocker unblocks":
		p.Unblock(g.blocker, account)
	case "shy says":
		p.Say(g.shy, account, text)
	case "shy closes":
		g.closed = true
		p.SetPrivacy(g.shy, false, true)
	case "shy opens":
		if g.closed {
			g.opened = append(g.opened, time.Now())
		}
		g.closed = false
		p.SetPrivacy(g.shy, false, false)
	case "eraser names":
		p.Mention(g.eraser, account, text)
	case "eraser erases":
		mine := ofKind(p.Ledger().Since(0), emulator.Mentioned)
		for _, e := range slices.Backward(mine) {
			if e.From == g.eraser && p.DeletePost(g.eraser, e.Post) {
				break
			}
		}
	case "fickle follows":
		p.Follow(g.fickle, account)
	case "fickle unfollows":
		p.Unfollow(g.fickle, account)
	case "chatter says":
		p.Say(g.chatter, account, text)
	default:
	}
	return nil
}

func (g *quitter) knows(e emulator.Entry) bool {
	return slices.ContainsFunc([]platform.UserID{g.blocker, g.shy, g.eraser, g.fickle, g.chatter}, func(who platform.UserID) bool {
		return e.From == who || e.To == who
	}) || e.From == g.s.account && strings.HasPrefix(e.Text, "read ")
}

func (g *quitter) judge(mine []emulator.Entry) []string {
	opened := g.opened
	if g.closed {
		opened = append(slices.Clone(opened), time.Now())
	}
	var blocks []time.Time
	for _, e := range ofKind(mine, emulator.Blocked) {
		blocks = append(blocks, e.At)
	}
	return slices.Concat(answered(with(mine, g.blocker), blocks), answered(with(mine, g.shy), opened),
		g.told(with(mine, g.chatter)), g.erased(mine), g.followed(with(mine, g.fickle)))
}

// with returns what somebody did, or what was done to them.
func with(entries []emulator.Entry, who platform.UserID) []emulator.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e emulator.Entry) bool { return e.From != who && e.To != who })
}

// answered judges somebody who was away up to or from some times: what was said after the last one is
// answered, what was said before is answered or not.
func answered(mine []emulator.Entry, away []time.Time) (wrong []string) {
	var all, due []string
	for _, e := range ofKind(mine, emulator.Said) {
		all = append(all, "got "+e.Text)
		if !slices.ContainsFunc(away, func(at time.Time) bool { return !at.Before(e.At) }) {
			due = append(due, "got "+e.Text)
		}
	}
	got := whatIsSaid(ofKind(mine, emulator.Arrived))
	return append(inOrder(all, got), missing(due, got)...)
}

// told judges who is told only so much: the first answers come.
func (g *quitter) told(mine []emulator.Entry) []string {
	var due []string
	for _, e := range ofKind(mine, emulator.Said) {
		due = append(due, "got "+e.Text)
	}
	due = due[:min(mostChatter, len(due))]
	got := whatIsSaid(ofKind(mine, emulator.Arrived))
	return append(inOrder(due, got), missing(due, got)...)
}

// erased judges what names the bot: while it is there, it is liked and answered, once.
func (g *quitter) erased(mine []emulator.Entry) (wrong []string) {
	count := map[string]int{}
	for _, e := range mine {
		switch {
		case e.Kind == emulator.Liked && e.To == g.eraser:
			count[fmt.Sprint("like ", e.Post)]++
		case e.Kind == emulator.Unliked && e.To == g.eraser:
			wrong = append(wrong, fmt.Sprintf("flicker: the like of %d was taken back", e.Post))
		case e.Kind == emulator.Published:
			count[e.Text]++
		case e.Kind == emulator.Deleted && e.From == g.eraser:
			count[fmt.Sprint("gone ", e.Post)]++
		default:
		}
	}
	for _, e := range ofKind(mine, emulator.Mentioned) {
		there := count[fmt.Sprint("gone ", e.Post)] == 0
		for _, what := range []string{fmt.Sprint("like ", e.Post), fmt.Sprint("read ", e.Post)} {
			if n := count[what]; n > 1 || there && n == 0 {
				wrong = append(wrong, fmt.Sprintf("%q happened %d times", what, n))
			}
		}
	}
	return wrong
}

// followed judges who follows and unfollows: she is followed and greeted once, when she follows in the end.
func (g *quitter) followed(mine []emulator.Entry) (wrong []string) {
	greeted, back := len(ofKind(mine, emulator.Arrived)), 0
	for _, e := range ofKind(mine, emulator.Followed, emulator.Unfollowed) {
		switch {
		case e.From == g.fickle:
		case e.Kind == emulator.Followed:
			back++
		default:
			wrong = append(wrong, "flicker: the bot does not follow any more")
		}
	}
	if greeted > 1 || back > 1 {
		wrong = append(wrong, fmt.Sprintf("greeted %d times, followed %d times", greeted, back))
	}
	if g.s.platform.Following(g.fickle, g.s.account) && (greeted == 0 || back == 0) {
		wrong = append(wrong, fmt.Sprintf("lost: a follower is greeted %d times and followed %d times", greeted, back))
	}
	return wrong
}

// after has everybody come back. A reply below a post that was deleted meanwhile may have to wait until it
// is left to a person: nothing else waits for that.
func (g *quitter) after(ctx context.Context) error {
	for _, what := range []string{"blocker unblocks", "shy opens", "blocker says", "shy says", "eraser names", "fickle follows", "chatter says"} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
	}
	for range 80 {
		time.Sleep(30 * time.Second)
		open, err := g.s.incarnation.store.Open(ctx, accountName)
		if err != nil || len(open) == 0 {
			return err
		}
	}
	return nil
}
