package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// deleter is somebody who has the bot take back what it said: its last answer, which the bot knows from
// its ledger; a message or a post that she sees on the platform, of which the bot may not know yet that it
// is there. What was to go is gone in the end, nothing else is, and nothing comes again in its place.
type deleter struct {
	s   *simulation
	who platform.UserID

	mu    sync.Mutex
	said  int
	named map[int64]bool // the messages and posts that she named
}

func drawDeleter(dice *rand.Rand) []string {
	steps := make([]string, 8+dice.IntN(16))
	for i := range steps {
		steps[i] = []string{"word", "word", "back", "forget", "news", "down", "slip", "slip", "scandal", "scandal"}[dice.IntN(10)]
	}
	return steps
}

func newDeleter(s *simulation) workload { return &deleter{s: s, named: map[int64]bool{}} }

func (g *deleter) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-deleter"})
}

func (g *deleter) configure(*bot.Config) {}

// lastAnswer is the key of the answer that is to go when she says so.
var lastAnswer = bot.NewValue[string]("simulate", "last answer")

// newsPrefix marks the posts that she has the bot publish.
const newsPrefix = "deleter "

func (g *deleter) routes() []bot.Route {
	return []bot.Route{
		bot.On("deleter", bot.AnyMessage().If(isFrom(g.who)), func(ctx context.Context, t *bot.Turn, m event.Message) error {
			word, rest, _ := strings.Cut(m.Text, " ")
			switch word {
			case "back":
				return g.takeBack(ctx, t)
			case "forget":
				id, err := strconv.ParseInt(rest, 10, 64)
				t.DeleteMessage(platform.MessageID(id))
				return err
			case "news":
				return t.Publish(newsPrefix + m.Text)
			}
			if err := t.Reply("got " + m.Text); err != nil {
				return err
			}
			return lastAnswer.Save(t, t.Decided()[0].Key)
		}),
		bot.On("deleter-down", bot.AnyReply().If(isFrom(g.who)), func(_ context.Context, t *bot.Turn, r event.Reply) error {
			id, err := strconv.ParseInt(r.Text, 10, 64)
			t.DeletePost(platform.PostID(id))
			return err
		}),
		bot.On("deleter-later", bot.Timers(newsPrefix), func(ctx context.Context, t *bot.Turn, later event.Timer) error {
			return g.delete(ctx, t, strings.TrimPrefix(later.Name, newsPrefix))
		}),
	}
}

// takeBack deletes the last answer that was not taken back.
func (g *deleter) takeBack(ctx context.Context, t *bot.Turn) error {
	key, _, err := lastAnswer.Load(t)
	if err != nil || key == "" {
		return err
	}
	if err := lastAnswer.Save(t, ""); err != nil {
		return err
	}
	return g.delete(ctx, t, key)
}

// delete deletes what an action made, or looks again later when that is not known yet.
func (g *deleter) delete(ctx context.Context, t *bot.Turn, key string) error {
	a, ok, err := t.ActionState(ctx, key)
	switch {
	case err != nil:
		return err
	// Where answers name nothing, a reading tells the id later.
	case !ok || !a.State.Final(), a.Result == 0 && t.Now.Sub(a.EndedAt) < time.Minute:
		t.After(2*time.Second, newsPrefix+key)
	case a.Result != 0: // without one by then, it is not there any more
		t.DeleteMessage(platform.MessageID(a.Result))
	}
	return nil
}

func (g *deleter) do(_ context.Context, what string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch what {
	case "forget":
		g.nameLocked(emulator.Arrived, "")
	case "down":
		g.nameLocked(emulator.Published, "")
	case "slip":
		g.slip(g.sayLocked("word"), emulator.Arrived, "got ")
	case "scandal":
		g.slip(g.sayLocked("news"), emulator.Published, newsPrefix)
	default:
		g.sayLocked(what)
	}
	return nil
}

// sayLocked says something that she did not say before.
func (g *deleter) sayLocked(what string) (text string) {
	g.said++
	text = fmt.Sprint(what, " ", g.said)
	g.s.platform.Say(g.who, g.s.account, text)
	return text
}

// slip has what the bot makes of a text deleted as soon as she sees it, which may be before the bot knows
// that it is there.
func (g *deleter) slip(text string, kind emulator.EntryKind, before string) {
	d := g.s.dice.draw("slip " + text)
	pause, hurry := d.between(10*time.Millisecond, 60*time.Millisecond), d.between(time.Millisecond, 500*time.Millisecond)
	g.s.left.Go(func() {
		for range 1000 {
			time.Sleep(pause)
			if g.sees(kind, before+text) {
				time.Sleep(hurry)
				g.mu.Lock()
				defer g.mu.Unlock()
				g.nameLocked(kind, before+text)
				return
			}
		}
	})
}

// sees reports whether something is on the platform that she has not named.
func (g *deleter) sees(kind emulator.EntryKind, text string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.unnamedLocked(kind, text)) > 0
}

// unnamedLocked returns what the bot made and she has not named, of any text for "".
func (g *deleter) unnamedLocked(kind emulator.EntryKind, text string) []emulator.Entry {
	return slices.DeleteFunc(ofKind(g.s.platform.Ledger().Since(0), kind), func(e emulator.Entry) bool {
		return !g.knows(e) || text != "" && e.Text != text || g.named[int64(e.Message)] || g.named[int64(e.Post)]
	})
}

// nameLocked asks the bot to delete the last of what she sees.
func (g *deleter) nameLocked(kind emulator.EntryKind, text string) {
	found := g.unnamedLocked(kind, text)
	if len(found) == 0 {
		return
	}
	e := found[len(found)-1]
	if kind == emulator.Published {
		g.named[int64(e.Post)] = true
		g.s.platform.Reply(g.who, e.Post, fmt.Sprint(e.Post))
		return
	}
	g.named[int64(e.Message)] = true
	g.s.platform.Say(g.who, g.s.account, fmt.Sprint("forget ", e.Message))
}

func (g *deleter) knows(e emulator.Entry) bool {
	return e.From == g.who || e.To == g.who || e.From == g.s.account && strings.HasPrefix(e.Text, newsPrefix)
}

func (g *deleter) judge(mine []emulator.Entry) (wrong []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var answers, news []string
	gone := map[string]bool{} // what it says
	last := ""
	for _, e := range mine {
		switch {
		case e.Kind != emulator.Said:
		case strings.HasPrefix(e.Text, "word "):
			last = "got " + e.Text
			answers = append(answers, last)
		case strings.HasPrefix(e.Text, "back ") && last != "":
			gone[last], last = true, ""
		case strings.HasPrefix(e.Text, "news "):
			news = append(news, newsPrefix+e.Text)
		}
	}
	sent, published := ofKind(mine, emulator.Arrived), ofKind(mine, emulator.Published)
	for _, e := range slices.Concat(sent, published) {
		if g.named[int64(e.Message)] || g.named[int64(e.Post)] {
			gone[e.Text] = true
		}
	}
	var want []string
	for text := range gone {
		want = append(want, text)
	}
	slices.Sort(want)
	deleted := whatIsSaid(ofKind(mine, emulator.Deleted))
	slices.Sort(deleted)
	for _, w := range inOrder(want, deleted) {
		wrong = append(wrong, "deleted: "+w)
	}
	for _, w := range missing(want, deleted) {
		wrong = append(wrong, "deleted: "+w)
	}
	wrong = append(append(wrong, inOrder(answers, whatIsSaid(sent))...), missing(answers, whatIsSaid(sent))...)
	return append(append(wrong, inOrder(news, whatIsSaid(published))...), missing(news, whatIsSaid(published))...)
}

// after has her last answer taken back in peace.
func (g *deleter) after(ctx context.Context) error {
	if err := g.do(ctx, "word"); err != nil {
		return err
	}
	return g.do(ctx, "back")
}
