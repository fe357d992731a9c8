package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// ruled are people who are served by rule files, of which each incarnation of the bot has another version than
// the one before: three at the till, one who books, one whose answers have to be approved, one who is
// handed over, and one who writes in bursts. Their judge knows nothing of the engine.
type ruled struct {
	s      *simulation
	till   []platform.UserID
	booker platform.UserID
	asker  platform.UserID // who asks for quotes
	handed platform.UserID
	burst  platform.UserID

	said    int
	wishes  map[string]wished // by the key of the action
	over    time.Time         // when after was done; zero before
	odd     []string          // the list of that name, then
	leads   []string          // the list of bookings, then
	notices []string          // what the team was told, then
}

// wished is what was decided first about an action that waited for it.
type wished struct {
	release bool
	text    string
}

// secondVersion makes the second version of the rules out of the first one: it also has higher limits.
var secondVersion = strings.NewReplacer("(v1)", "(v2)", "per_person: 2 ever", "per_person: 3 ever", "total: 2 ever", "total: 4 ever")

// coupons and raffles are what each version allows, for one person and in all.
var (
	coupons = map[string]int{"(v1)": 2, "(v2)": 3}
	raffles = map[string]int{"(v1)": 2, "(v2)": 4}
)

// handedFor is how long the conversation of who is handed over is the team's; see testdata/rules.
const handedFor = 5 * time.Minute

func drawRuled(dice *rand.Rand) []string {
	lines := []string{"coupon", "coupon", "raffle", "prize", "prize", "later", "slowly", "odd"}
	steps := make([]string, 20+dice.IntN(25))
	for i := range steps {
		switch n := dice.IntN(100); {
		case n < 35:
			steps[i] = fmt.Sprintf("till %d %s", dice.IntN(3), lines[dice.IntN(len(lines))])
			if dice.IntN(8) == 0 {
				steps[i] = "race " + []string{"prize", "raffle"}[dice.IntN(2)]
			}
		case n < 60:
			steps[i] = "talk " + []string{"right", "right", "right", "no", "wrong"}[dice.IntN(5)]
		case n < 68:
			steps[i] = "quote"
		case n < 74:
			steps[i] = []string{"approve", "approve", "refuse"}[dice.IntN(3)]
		case n < 83:
			steps[i] = "hey"
		case n < 85:
			steps[i] = "human"
		default:
			steps[i] = "bit"
		}
	}
	return steps
}

func newRuled(s *simulation) workload { return &ruled{s: s, wishes: map[string]wished{}} }

func (g *ruled) begin() {
	add := func(name string) platform.UserID {
		return g.s.platform.AddPerson(emulator.Person{Username: "guest-" + name})
	}
	g.till = []platform.UserID{add("till0"), add("till1"), add("till2")}
	g.booker, g.asker, g.handed, g.burst = add("booker"), add("asker"), add("handed"), add("burst")
}

func (g *ruled) configure(*bot.Config) {}

// routes lets two folders of rules serve the workload's people: those who write in bursts have one of their own.
func (g *ruled) routes() []bot.Route {
	calm, bursts := g.folder("calm.yaml"), g.folder("bursts.yaml")
	handle := func(ctx context.Context, t *bot.Turn) error {
		if t.Peer().ID == g.burst {
			return bursts.Handle(ctx, t)
		}
		return calm.Handle(ctx, t)
	}
	mine := func(_ context.Context, t *bot.Turn) bool { return g.has(t.Peer().ID) }
	timer := func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return handle(ctx, t) }
	events := bot.On("rules", bot.AnyEvent().If(mine), func(ctx context.Context, t *bot.Turn, _ event.Event) error { return handle(ctx, t) })
	return []bot.Route{
		engine.Route(events.Within(-1), engine.Ways{Keeps: rules.FlowPrefix}),
		bot.On("rules/timers", bot.Timers("rules/"), timer),
		bot.On("rules/nobody", bot.Timers("owned/rules/"), timer),
	}
}

// folder returns what answers by a file, in the version of this incarnation.
func (g *ruled) folder(name string) *bot.Router {
	src := rules.Sources{}
	for _, file := range []string{name, rules.SettingsFile} {
		content, err := os.ReadFile(filepath.Join("testdata", "rules", filepath.Base(file)))
		if err != nil {
			panic(err) // the simulator's own fault
		}
		if g.s.incarnations%2 == 1 {
			content = []byte(secondVersion.Replace(string(content)))
		}
		src[file] = content
	}
	v, report := check.Check(src)
	if v == nil {
		panic(fmt.Sprint(report.Problems))
	}
	h := rules.NewHandler()
	h.Use(v)
	r, err := bot.NewRouter(bot.RouterConfig{Routes: h.Routes()})
	if err != nil {
		panic(err)
	}
	return r
}

func (g *ruled) do(ctx context.Context, what string) error {
	g.said++
	words := strings.Fields(what)
	line := fmt.Sprintf("%s %d", words[len(words)-1], g.said)
	switch words[0] {
	case "till":
		g.say(g.till[words[1][0]-'0'], line)
	case "race":
		for _, who := range g.till {
			g.say(who, line)
		}
	case "talk":
		if line := g.next(words[1]); line != "" {
			g.say(g.booker, line)
		}
	case "quote":
		g.say(g.asker, line)
	case "hey", "human":
		g.say(g.handed, line)
	case "bit":
		g.say(g.burst, line)
	case "approve":
		return g.decide(ctx, event.WishRelease)
	case "refuse":
		return g.decide(ctx, event.WishDrop)
	}
	return nil
}

func (g *ruled) say(who platform.UserID, text string) { g.s.platform.Say(who, g.s.account, text) }

// decide decides about all answers that wait for it. Somebody else may have decided just before.
func (g *ruled) decide(ctx context.Context, wish event.Wish) error {
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		waiting, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.asker, State: event.StateHeld, Limit: 100})
		if err != nil {
			return err
		}
		for i := range waiting {
			a := &waiting[i]
			if _, err := d.Ask(ctx, event.Request{Key: a.Conversation(), Wish: wish, Action: a.Key}); err != nil {
				return err
			}
			if _, ok := g.wishes[a.Key]; !ok {
				g.wishes[a.Key] = wished{wish == event.WishRelease, a.Text}
			}
		}
		return nil
	})
}

func (g *ruled) has(who platform.UserID) bool {
	return slices.Contains(append([]platform.UserID{g.booker, g.asker, g.handed, g.burst}, g.till...), who)
}

func (g *ruled) knows(e emulator.Entry) bool { return g.has(e.From) || g.has(e.To) }

// after approves what waits, lets the team's time pass, and reads what the bot keeps.
func (g *ruled) after(ctx context.Context) error {
	if err := g.decide(ctx, event.WishRelease); err != nil {
		return err
	}
	time.Sleep(handedFor + time.Minute)
	g.over = time.Now()
	for _, what := range []string{"hey", "bit", "bit", "bit"} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
	}
	return g.read(ctx)
}

func (g *ruled) read(ctx context.Context) error {
	for list, into := range map[string]*[]string{"odd": &g.odd, "bookings": &g.leads} {
		entries, err := g.s.incarnation.store.Entries(ctx, accountName, list, "", 1000)
		if err != nil {
			return err
		}
		for i := range entries {
			*into = append(*into, entries[i].Text+string(entries[i].Data))
		}
	}
	notices, err := g.s.incarnation.store.Unsent(ctx, 1000)
	for i := range notices {
		byRule := slices.Contains([]string{"notify", "handoff", "waiting", "paused"}, notices[i].Kind) // what else people are called for is not of rules
		if notices[i].Account == accountName && byRule && g.has(notices[i].Peer) {                     // others have some, too
			g.notices = append(g.notices, notices[i].Text)
		}
	}
	return err
}
