package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// interrupter is a person of ours who approves answers, and writes by hand in the conversation in which they wait: before she
// approves, behind it, in the same instant, whether the bot is up, down or dying. What she said last holds: what she approves behind
// her words leaves, and what was approved before them does not, once the bot can know.
type interrupter struct {
	s     *simulation
	buyer platform.UserID
	said  int
	over  bool

	mu       sync.Mutex
	spoken   []handWords          // words by hand, in their order
	approved map[string]time.Time // when a text was approved for the last time
	began    []time.Time          // when the bot began
	wrong    []string
}

// handWords are words that were written by hand.
type handWords struct {
	text      string
	at, shown time.Time // shown is zero until an answer has shown them
}

func drawInterrupter(dice *rand.Rand) []string {
	steps := make([]string, 14+dice.IntN(18))
	for i := range steps {
		steps[i] = []string{"offer", "offer", "later", "desk", "desk", "words", "words desk", "desk words"}[dice.IntN(8)]
	}
	return steps
}

func newInterrupter(s *simulation) workload {
	return &interrupter{s: s, approved: map[string]time.Time{}}
}

func (g *interrupter) begin() {
	g.buyer = g.s.platform.AddPerson(emulator.Person{Username: "guest-interrupted"})
}

func (g *interrupter) configure(cfg *bot.Config) { cfg.TakeoverFor = phoneSilence }

func (g *interrupter) joins(*bot.Bot) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.began = append(g.began, time.Now())
}

func (g *interrupter) routes() []bot.Route {
	return []bot.Route{bot.On("interrupted", bot.AnyMessage().If(isFrom(g.buyer)), func(_ context.Context, t *bot.Turn, m event.Message) error {
		waits := []bot.Option{bot.Awaits("needs approval", event.Approval{})}
		if later(m.Text) {
			waits = append(waits, bot.In(30*time.Second))
		}
		return t.Reply("got "+m.Text, waits...)
	})}
}

func (g *interrupter) do(ctx context.Context, what string) error {
	for word := range strings.FieldsSeq(what) {
		g.said++
		switch word {
		case "desk":
			if err := g.s.inspect(ctx, func(d inspect.Inspector) error { return g.approve(ctx, d) }); err != nil {
				return err
			}
		case "words":
			w := handWords{text: fmt.Sprintf("by hand %d.", g.said), at: time.Now()}
			g.mu.Lock()
			g.spoken = append(g.spoken, w)
			g.mu.Unlock()
			g.s.platform.SayAs(g.s.account, g.buyer, w.text)
		default:
			g.s.platform.Say(g.buyer, g.s.account, fmt.Sprint(word, " ", g.said))
		}
	}
	return nil
}

// approve lets what waits be said, all of it, whether she has written since or not.
func (g *interrupter) approve(ctx context.Context, d inspect.Inspector) error {
	held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.buyer, State: event.StateHeld, Limit: 100})
	if err != nil {
		return err
	}
	for _, a := range slices.Backward(held) {
		g.mu.Lock()
		g.approved[a.Text] = time.Now() // before the bot can see it
		g.mu.Unlock()
		asked, err := d.Ask(ctx, event.Request{Key: event.Key{Account: accountName, Peer: g.buyer}, Wish: event.WishInsist, Action: a.Key, By: "guest"})
		if err != nil {
			return err
		}
		g.mu.Lock()
		g.approved[a.Text] = asked[0].AskedAt
		g.mu.Unlock()
	}
	return nil
}

func (g *interrupter) knows(e emulator.Entry) bool { return e.From == g.buyer || e.To == g.buyer }

// calls forbids what leaves although she has written behind its approval, and the bot can know: an answer has shown her words, or they
// were there when it began.
func (g *interrupter) calls(r *http.Request, body string) {
	if path.Base(r.URL.Path) != "send_message" {
		return
	}
	form, err := url.ParseQuery(body)
	if err != nil || idOf(form) != g.buyer {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	text, now := form.Get("message"), time.Now()
	at, ok := g.approved[text]
	if !ok {
		g.wrong = append(g.wrong, fmt.Sprintf("%q leaves, and nobody has approved it", text))
	}
	for _, w := range g.spoken {
		known := !w.shown.IsZero() && now.After(w.shown) || w.at.Before(g.began[len(g.began)-1])
		if ok && at.Before(w.at) && known {
			g.wrong = append(g.wrong, fmt.Sprintf("%q leaves at %v: approved at %v, behind which she wrote %q", text, now, at, w.text))
		}
	}
}

// hears notes when her words are shown.
func (g *interrupter) hears(r *http.Request, body []byte) {
	if path.Base(r.URL.Path) != "get_messages" || idOf(r.URL.Query()) != g.buyer {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range byHand.FindAll(body, -1) {
		for i := range g.spoken {
			if w := &g.spoken[i]; w.text == string(m) && w.shown.IsZero() {
				w.shown = time.Now()
			}
		}
	}
}

// judge judges what arrived: each once, and what was approved alone; in the end, what was approved behind all of her words.
func (g *interrupter) judge(mine []emulator.Entry) (wrong []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	wrong = slices.Clone(g.wrong)
	arrived := whatIsSaid(ofKind(mine, emulator.Arrived))
	for i, text := range arrived {
		if _, ok := g.approved[text]; !ok || slices.Contains(arrived[:i], text) {
			wrong = append(wrong, fmt.Sprintf("not approved, or doubled: %q", text))
		}
	}
	if !g.over {
		return wrong
	}
	for text, at := range g.approved {
		behind := slices.ContainsFunc(g.spoken, func(w handWords) bool { return !w.at.Before(at) })
		if !behind && !slices.Contains(arrived, text) {
			wrong = append(wrong, fmt.Sprintf("lost: %q was approved behind all words", text))
		}
	}
	return wrong
}

// after approves what still waits: once more where the answer to an approval was that it is to be asked for again. It lets the conversation
// come back to the bot: the turn of that is none that others, who are next, have to reckon with.
func (g *interrupter) after(ctx context.Context) error {
	for range 2 {
		time.Sleep(time.Minute)
		if err := g.do(ctx, "desk"); err != nil {
			return err
		}
	}
	time.Sleep(phoneSilence)
	g.over = true
	return nil
}
