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
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// curious is somebody who asks for several things in a row. Each question is answered, once for a burst and in one message;
// what the limit of a rule holds back stands on a list. Its judge knows nothing of the engine.
type curious struct {
	s       *simulation
	who     platform.UserID
	said    int
	over    time.Time // when after was done; zero before
	unheard []string  // the list of that name, then
}

// fruit is what is asked for, in the order of the rules.
var fruit = []string{"apples", "pears", "plums"}

// mostPlums is how often the last of them is answered; see testdata/rules.
const mostPlums = 2

func drawCurious(dice *rand.Rand) []string {
	var steps []string
	for range 6 + dice.IntN(8) {
		row := make([]string, 1+dice.IntN(4))
		for i := range row {
			row[i] = slices.Concat(fruit, []string{"hello"})[dice.IntN(len(fruit)+1)]
		}
		steps = append(steps, strings.Join(row, " "))
	}
	return steps
}

func newCurious(s *simulation) workload { return &curious{s: s} }

func (g *curious) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-curious"})
}

func (g *curious) configure(*bot.Config) {}

func (g *curious) routes() []bot.Route {
	src := rules.Sources{}
	for _, file := range []string{"questions.yaml", rules.SettingsFile} {
		content, err := os.ReadFile(filepath.Join("testdata", "rules", filepath.Base(file)))
		if err != nil {
			panic(err) // the simulator's own fault
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
	mine := func(_ context.Context, t *bot.Turn) bool { return t.Peer().ID == g.who }
	return []bot.Route{
		bot.On("curious", bot.AnyEvent().If(mine), func(ctx context.Context, t *bot.Turn, _ event.Event) error {
			return r.Handle(ctx, t)
		}).Within(-1),
		bot.On("curious/timers", bot.Timers("rules/").If(mine), func(ctx context.Context, t *bot.Turn, _ event.Timer) error {
			return r.Handle(ctx, t)
		}),
	}
}

// do asks for things in a row, each on a line of its own with a number.
func (g *curious) do(_ context.Context, what string) error {
	for word := range strings.FieldsSeq(what) {
		g.said++
		g.s.platform.Say(g.who, g.s.account, fmt.Sprintf("%s %d", word, g.said))
	}
	return nil
}

func (g *curious) knows(e emulator.Entry) bool { return e.From == g.who || e.To == g.who }

// after lets what was asked be answered, reads the list, and asks for everything once more, in peace.
func (g *curious) after(ctx context.Context) error {
	time.Sleep(time.Minute)
	entries, err := g.s.incarnation.store.Entries(ctx, accountName, "unheard", "", 1000)
	for i := range entries {
		g.unheard = append(g.unheard, entries[i].Text)
	}
	if err != nil {
		return err
	}
	g.over = time.Now()
	return g.do(ctx, strings.Join(fruit, " "))
}

func (g *curious) judge(mine []emulator.Entry) (wrong []string) {
	x := &exchange{}
	for _, e := range mine {
		switch {
		case e.Kind == emulator.Said && e.From == g.who:
			x.said = append(x.said, e)
		case e.Kind == emulator.Arrived && e.To == g.who:
			x.heard = append(x.heard, e)
		}
	}
	plums, peace := 0, 0
	for _, e := range x.heard {
		parts := strings.Split(e.Text, "\n\n")
		if !slices.IsSortedFunc(parts, func(a, b string) int { return slices.Index(fruit, a) - slices.Index(fruit, b) }) || len(slices.Compact(slices.Clone(parts))) < len(parts) {
			wrong = append(wrong, fmt.Sprintf("an answer has its parts doubled or out of order: %q", e.Text))
		}
		if slices.Contains(parts, "plums") {
			plums++
		}
		if !g.over.IsZero() && !e.At.Before(g.over) {
			peace++
		}
	}
	if plums > mostPlums {
		wrong = append(wrong, fmt.Sprintf("plums were answered %d times", plums))
	}
	for _, f := range fruit {
		if asked, told := len(x.with(f)), g.told(x, f, time.Time{}); told > asked {
			wrong = append(wrong, fmt.Sprintf("%s: asked %d times, and answered %d times", f, asked, told))
		}
	}
	for _, e := range x.said {
		wrong = append(wrong, g.answered(x, e)...)
	}
	if !g.over.IsZero() && peace != 1 {
		wrong = append(wrong, fmt.Sprintf("three questions in peace have %d answers", peace))
	}
	return wrong
}

// told tells how often something was answered since then.
func (g *curious) told(x *exchange, what string, since time.Time) (n int) {
	for _, e := range x.heard {
		if !e.At.Before(since) && slices.Contains(strings.Split(e.Text, "\n\n"), what) {
			n++
		}
	}
	return n
}

// answered judges a question: it is answered after it was asked, or stands on the list.
func (g *curious) answered(x *exchange, e emulator.Entry) []string {
	what, _, _ := strings.Cut(e.Text, " ")
	listed := slices.ContainsFunc(g.unheard, func(s string) bool { return slices.Contains(strings.Split(s, "\n"), e.Text) })
	switch {
	case g.over.IsZero(), !slices.Contains(fruit, what), g.told(x, what, e.At) > 0:
		return nil
	case what == "plums" && (listed || !e.At.Before(g.over)):
		return nil
	}
	return []string{fmt.Sprintf("nobody answers or hears of %q", e.Text)}
}
