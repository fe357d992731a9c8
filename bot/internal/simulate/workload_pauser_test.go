package simulate_test

import (
	"context"
	"errors"
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
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

const pausedName event.Account = "paused"

// pauser is a colleague who pauses an account of the bot, or one of two rules of it, and lets them go on, at any moment:
// while the bot is up, down or dying, twice, or in vain. Nothing leaves of what is paused, what comes while the account is
// paused is only recorded, and what waited leaves once it goes on, unless it has become too late for it.
type pauser struct {
	s       *simulation
	account platform.UserID
	who     []platform.UserID
	said    int
	wishes  []wish
	wanted  []string // what is to have arrived in the end
	odd     []string // what was not as it should be, then

	mu   sync.Mutex
	left []departure
}

// wish is what the colleague asked for.
type wish struct {
	event.Request
	turn   time.Time // when its turn was, which is known in the end
	effect time.Time // when it was seen to have had its turn
}

// departure is a request for an answer, as the bot made it.
type departure struct {
	text string
	at   time.Time
}

const pausersPeople = 2

// pausedRules are what is paused beside the whole account, "".
var pausedRules = []string{"alpha", "beta", ""}

func drawPauser(dice *rand.Rand) []string {
	steps := make([]string, 20+dice.IntN(20))
	for i := range steps {
		rule := pausedRules[dice.IntN(3)]
		switch dice.IntN(14) {
		case 0, 1:
			steps[i] = "pause " + rule
		case 2, 3, 4:
			steps[i] = "go " + rule
		case 5:
			steps[i] = "pause go " + rule
		case 6:
			steps[i] = fmt.Sprint("nag ", dice.IntN(pausersPeople))
		default:
			wait, patience := []string{"0s", "0s", "5s", "20s"}[dice.IntN(4)], []string{"5s", "10m"}[dice.IntN(2)]
			steps[i] = fmt.Sprintf("say %d %s %s %s", dice.IntN(pausersPeople), wait, patience, rule)
		}
	}
	return steps
}

func newPauser(s *simulation) workload { return &pauser{s: s} }

func (g *pauser) begin() {
	g.account = g.s.addAccount(pausedName)
	for i := range pausersPeople {
		g.who = append(g.who, g.s.platform.AddPerson(emulator.Person{Username: fmt.Sprint("guest-paused", i)}))
	}
}

func (g *pauser) configure(cfg *bot.Config) {
	cfg.Accounts = append(cfg.Accounts, accountAt(cfg.Accounts[0].BaseURL, pausedName))
}

func (g *pauser) routes() []bot.Route {
	mine := func(_ context.Context, t *bot.Turn) bool { return slices.Contains(g.who, t.Peer().ID) }
	return []bot.Route{
		bot.On("paused", bot.AnyMessage().If(mine), func(_ context.Context, t *bot.Turn, m event.Message) error {
			words := strings.Fields(m.Text)
			if len(words) < 4 {
				t.After(5*time.Second, "nag "+m.Text)
				return nil
			}
			wait, patience, rule := words[1], words[2], words[3]
			options := []bot.Option{bot.In(duration(wait))}
			if rule != "none" {
				options = append(options, engine.Decided(rule, t.Now.Add(duration(wait)+duration(patience))))
			}
			return t.Reply("re "+m.Text, options...)
		}),
		bot.On("paused-nag", bot.Timers("nag ").If(mine), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			return t.Message(timer.Name)
		}),
	}
}

// duration is one that is known to be good.
func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func (g *pauser) do(ctx context.Context, what string) error {
	g.said++
	words := strings.Fields(what)
	switch words[0] {
	case "say":
		rule := "none"
		if len(words) > 4 {
			rule = words[4]
		}
		g.s.platform.Say(g.who[words[1][0]-'0'], g.account, fmt.Sprint(g.said, " ", words[2], " ", words[3], " ", rule))
	case "nag":
		g.s.platform.Say(g.who[words[1][0]-'0'], g.account, fmt.Sprint(g.said))
	default:
		rule := ""
		if last := words[len(words)-1]; slices.Contains(pausedRules, last) {
			rule = last
		}
		var wanted []event.Wish
		for _, w := range words {
			switch w {
			case "pause":
				wanted = append(wanted, event.WishPause)
			case "go":
				wanted = append(wanted, event.WishGoOn)
			}
		}
		return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.ask(ctx, d, rule, wanted...) })
	}
	return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.look(ctx, d) })
}

// ask asks for something about a rule, or with "" about the account.
func (g *pauser) ask(ctx context.Context, d inspect.Inspector, rule string, wanted ...event.Wish) error {
	var requests []event.Request
	for _, w := range wanted {
		requests = append(requests, event.Request{Key: event.Key{Account: pausedName}, Wish: w, Action: rule, By: "guest"})
	}
	asked, err := d.Ask(ctx, requests...)
	for _, q := range asked {
		g.wishes = append(g.wishes, wish{Request: q})
	}
	return errors.Join(err, g.look(ctx, d))
}

// look notes which wishes have had their turn.
func (g *pauser) look(ctx context.Context, d inspect.Inspector) error {
	for i := range g.wishes {
		w := &g.wishes[i]
		if !w.effect.IsZero() {
			continue
		}
		a, had, err := d.Answer(ctx, w.Request)
		if err != nil {
			return err
		}
		if had {
			w.turn, w.effect = a.At, time.Now()
		}
	}
	return nil
}

func (g *pauser) knows(e emulator.Entry) bool {
	mine := append(slices.Clone(g.who), g.account)
	return slices.Contains(mine, e.From) || slices.Contains(mine, e.To)
}

// calls notes what leaves.
func (g *pauser) calls(r *http.Request, body string) {
	if path.Base(r.URL.Path) != "send_message" {
		return
	}
	form, err := url.ParseQuery(body)
	if err != nil || !slices.Contains(g.who, idOf(form)) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = append(g.left, departure{form.Get("message"), time.Now()})
}

func (g *pauser) hears(*http.Request, []byte) {}
