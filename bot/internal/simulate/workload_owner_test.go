package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// owner is the account's owner, who answers people by hand, whatever the bot is at or whether it is there at all: behind
// a question, before one, between two, in the same instant. Whoever she has spoken to is hers for a while: once an
// answer of the platform has shown her words to the bot, in any incarnation, no message leaves there.
type owner struct {
	s    *simulation
	who  []platform.UserID
	said int

	mu    sync.Mutex
	seen  map[[2]int64]bool             // her words that were shown, by person and number
	shown map[platform.UserID]time.Time // when her latest words there had arrived
	wrong []string
}

const ownersPeople = 3

func drawOwner(dice *rand.Rand) []string {
	steps := make([]string, 10+dice.IntN(20))
	for i := range steps {
		who := strconv.Itoa(dice.IntN(ownersPeople))
		steps[i] = who + []string{"asks", "asks", "later", "owner", "asks owner", "owner asks", "asks owner asks", "asks asks"}[dice.IntN(8)]
	}
	return steps
}

func newOwner(s *simulation) workload { return &owner{s: s, shown: map[platform.UserID]time.Time{}} }

func (g *owner) begin() {
	for i := range ownersPeople {
		g.who = append(g.who, g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-owner", i)}))
	}
}

func (g *owner) configure(cfg *bot.Config) { cfg.TakeoverFor = phoneSilence }

func (g *owner) mine(id platform.UserID) bool { return slices.Contains(g.who, id) }

func (g *owner) routes() []bot.Route {
	here := func(_ context.Context, t *bot.Turn) bool { return g.mine(t.Peer().ID) }
	return []bot.Route{
		bot.On("owner", bot.AnyMessage().If(here), func(_ context.Context, t *bot.Turn, m event.Message) error {
			if later(m.Text) {
				return t.Reply("got "+m.Text, bot.In(30*time.Second))
			}
			return t.Reply("got " + m.Text)
		}),
	}
}

var laterWord = regexp.MustCompile("^later ")

func later(text string) bool { return laterWord.MatchString(text) }

func (g *owner) do(_ context.Context, what string) error {
	who := g.who[what[0]-'0']
	for _, word := range regexp.MustCompile("[a-z]+").FindAllString(what, -1) {
		g.said++
		switch word {
		case "owner":
			g.s.platform.SayAs(g.s.account, who, fmt.Sprintf("by hand %d.", g.said))
		case "later":
			g.s.platform.Say(who, g.s.account, fmt.Sprintf("later %d", g.said))
		default:
			g.s.platform.Say(who, g.s.account, fmt.Sprintf("word %d", g.said))
		}
	}
	return nil
}

func (g *owner) knows(e emulator.Entry) bool { return g.mine(e.From) || g.mine(e.To) }

// calls forbids what leaves over the owner's words.
func (g *owner) calls(r *http.Request, body string) {
	if path.Base(r.URL.Path) != "send_message" {
		return
	}
	form, err := url.ParseQuery(body)
	if err != nil {
		return
	}
	peer := idOf(form)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if at, ok := g.shown[peer]; ok && now.After(at) && now.Before(at.Add(phoneSilence)) {
		g.wrong = append(g.wrong, fmt.Sprintf("%q leaves to %d %v after the owner's words were shown", form.Get("message"), peer, now.Sub(at)))
	}
}

var byHand = regexp.MustCompile(`by hand (\d+)\.`)

// hears notes when the owner's words are shown.
func (g *owner) hears(r *http.Request, body []byte) {
	if path.Base(r.URL.Path) != "get_messages" {
		return
	}
	peer := idOf(r.URL.Query())
	if !g.mine(peer) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range byHand.FindAllSubmatch(body, -1) {
		if n, err := strconv.Atoi(string(m[1])); err == nil && g.firstLocked(peer, n) {
			g.shown[peer] = time.Now()
		}
	}
}

// firstLocked reports whether words of the owner are shown for the first time.
func (g *owner) firstLocked(peer platform.UserID, n int) bool {
	k := [2]int64{int64(peer), int64(n)}
	if g.seen[k] {
		return false
	}
	if g.seen == nil {
		g.seen = map[[2]int64]bool{}
	}
	g.seen[k] = true
	return true
}

func idOf(values url.Values) platform.UserID {
	id, err := strconv.ParseInt(values.Get("user_id"), 10, 64)
	if err != nil {
		return 0
	}
	return platform.UserID(id)
}

// judge looks at each word in turn: its answer comes at most once; none comes when the owner has spoken behind it, or
// shortly before it, and the bot could know; and it comes when the owner has not.
func (g *owner) judge(mine []emulator.Entry) (wrong []string) {
	g.mu.Lock()
	wrong = append(wrong, g.wrong...)
	g.mu.Unlock()
	for _, who := range g.who {
		theirs := slices.DeleteFunc(slices.Clone(mine), func(e emulator.Entry) bool { return e.From != who && e.To != who })
		wrong = append(wrong, judgeByHand(theirs)...)
	}
	return wrong
}

// judgeByHand judges a conversation in which the bot answers each word with "got" and the word, and the owner by hand.
func judgeByHand(mine []emulator.Entry) (wrong []string) {
	spoken := ofKind(mine, emulator.SaidByPhone)
	answers := whatIsSaid(ofKind(mine, emulator.Arrived))
	wanted := whatIsSaid(ofKind(mine, emulator.Said))
	for i := range wanted {
		wanted[i] = "got " + wanted[i]
	}
	for i, text := range answers {
		if !slices.Contains(wanted, text) || slices.Contains(answers[:i], text) {
			wrong = append(wrong, fmt.Sprintf("not due, or doubled: %q", text))
		}
	}
	for _, w := range ofKind(mine, emulator.Said) {
		hers := slices.ContainsFunc(spoken, func(e emulator.Entry) bool { return w.At.Before(e.At.Add(phoneSilence)) })
		if !hers && !slices.Contains(answers, "got "+w.Text) {
			wrong = append(wrong, fmt.Sprintf("lost: %q has no answer", w.Text))
		}
	}
	return wrong
}

// after waits until the conversations are the bot's again, which has to answer then.
func (g *owner) after(ctx context.Context) error {
	time.Sleep(phoneSilence + time.Minute)
	for i := range g.who {
		if err := g.do(ctx, strconv.Itoa(i)+"asks"); err != nil {
			return err
		}
	}
	return nil
}
