package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// approver is a person of ours who approves bundles: two answers that wait together, or none, with a label, an entry of a
// list, a notice, a timer and a stamp beside them; some of them for a while only. The approver approves, edits and refuses
// by whatever of a bundle, also twice or both, in time or too late, whether the bot is there or not. What waits beside the
// answers happens once if they are released, and else never.
type approver struct {
	s     *simulation
	buyer platform.UserID

	said     int
	seen     map[string]bool // the first keys of bundles that were decided about
	released []approvedBundle
	over     bool
	odd      []string // what was not as it should be, then
}

// approvedBundle is what was released.
type approvedBundle struct {
	name  string   // what the person said
	texts []string // what is to arrive
	at    time.Time
}

// approverTimer begins the names of the workload's timers.
const approverTimer = "approver/"

// soon is how long a bundle waits that expires.
const soon = 90 * time.Second

func drawApprover(dice *rand.Rand) []string {
	steps := make([]string, 12+dice.IntN(16))
	for i := range steps {
		steps[i] = []string{"offer", "offer", "soon", "soon", "books", "plain", "desk", "desk", "desk"}[dice.IntN(9)]
	}
	return steps
}

func newApprover(s *simulation) workload { return &approver{s: s, seen: map[string]bool{}} }

func (g *approver) begin() {
	g.buyer = g.s.platform.AddPerson(emulator.Person{Username: "guest-buyer"})
}

func (g *approver) configure(*bot.Config) {}

func (g *approver) routes() []bot.Route {
	return []bot.Route{
		bot.On("buyer", bot.AnyMessage().If(isFrom(g.buyer)), func(_ context.Context, t *bot.Turn, m event.Message) error {
			if strings.HasPrefix(m.Text, "plain ") {
				return t.Reply("got " + m.Text)
			}
			trigger := t.Trigger.ID()
			rest := event.Approval{Group: trigger + "/buyer/0"}
			if strings.HasPrefix(m.Text, "soon ") {
				rest.Within, rest.Expires = soon, t.Now.Add(soon)
			}
			first := rest
			first.Effects = event.Effects{
				Labels:  []string{m.Text},
				Entries: []event.HeldEntry{{List: "bought", Key: trigger, Trigger: trigger, Text: m.Text}},
				Notices: []event.HeldNotice{{Who: "approvers", Text: m.Text}},
				Timers:  []event.HeldTimer{{Name: approverTimer + m.Text, After: time.Second, Data: []byte(`{}`), Stamp: "since"}},
				Stamps:  []event.Stamp{{Value: "approver/memory", Path: []string{m.Text}}},
			}
			if strings.HasPrefix(m.Text, "books ") {
				engine.Of(t).Books(bot.Awaits("needs approval", first))
				return nil
			}
			if err := t.Reply("got "+m.Text, bot.Awaits("needs approval", first)); err != nil {
				return err
			}
			return t.Message("more than "+m.Text, bot.Awaits("needs approval", rest))
		}),
		bot.On("buyer/timers", bot.Timers(approverTimer), func(_ context.Context, t *bot.Turn, timer event.Timer) error {
			t.Record(event.Entry{List: "rang", Key: t.Trigger.ID(), Text: strings.TrimPrefix(timer.Name, approverTimer)})
			return nil
		}),
	}
}

func (g *approver) do(ctx context.Context, what string) error {
	g.said++
	if what == "desk" {
		return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.decide(ctx, d) })
	}
	g.s.platform.Say(g.buyer, g.s.account, fmt.Sprint(what, " ", g.said))
	return nil
}

// decide decides about bundles that wait, those that have waited longest first.
func (g *approver) decide(ctx context.Context, d inspect.Inspector) error {
	held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.buyer, State: event.StateHeld, Limit: 100})
	if err != nil {
		return err
	}
	for _, a := range slices.Backward(held) {
		p, ok, err := d.Approval(ctx, accountName, a.Key)
		if err != nil || !ok {
			return fmt.Errorf("what %s waits for: %v, %w", a.Key, ok, err)
		}
		if p.Group != a.Key || g.seen[a.Key] || !g.over && g.s.dice.draw("hesitate "+a.Key).x%3 == 0 {
			continue
		}
		if err := g.wish(ctx, d, p, held); err != nil {
			return err
		}
	}
	return nil
}

// wish asks for something about a bundle: now and then for more than one thing, of which the first is done.
func (g *approver) wish(ctx context.Context, d inspect.Inspector, p event.Approval, held []event.Action) error {
	g.seen[p.Group] = true
	made := approvedBundle{name: p.Effects.Labels[0]}
	var keys []string
	for _, a := range slices.Backward(held) {
		if strings.HasPrefix(a.Key, p.Group[:strings.LastIndexByte(p.Group, '/')+1]) {
			keys = append(keys, a.Key)
			if a.Verb.Makes() {
				made.texts = append(made.texts, a.Text)
			}
		}
	}
	drawn := g.s.dice.draw("approve " + p.Group)
	of := int(drawn.n(int64(len(keys))))
	wish := event.Request{Key: event.Key{Account: accountName, Peer: g.buyer}, Action: keys[of], By: "guest"}
	release, edit, drop := wish, wish, wish
	release.Wish, edit.Wish, drop.Wish = event.WishRelease, event.WishEdit, event.WishDrop
	if len(made.texts) == 0 { // it has no text to be edited
		edit = release
	} else {
		edit.Text = "better than " + made.texts[of]
	}
	order := [][]event.Request{
		{release}, {release}, {edit}, {drop}, {release, release}, {release, drop}, {drop, release}, {edit, release}, {drop, edit},
	}[drawn.n(9)]
	asked, err := d.Ask(ctx, order...)
	if err != nil {
		return err
	}
	if asked[0].Wish == event.WishDrop || p.Expired(asked[0].AskedAt) {
		return nil
	}
	if asked[0].Wish == event.WishEdit {
		made.texts[of] = edit.Text
	}
	made.at = asked[0].AskedAt
	g.released = append(g.released, made)
	return nil
}

func (g *approver) knows(e emulator.Entry) bool { return e.From == g.buyer || e.To == g.buyer }

// judge judges what arrived: what needed no approval, and all of what was released, in its order.
func (g *approver) judge(mine []emulator.Entry) (wrong []string) {
	var plain, released, answers, arrived []string
	since := map[string]time.Time{}
	for _, e := range ofKind(mine, emulator.Said) {
		if strings.HasPrefix(e.Text, "plain ") {
			plain = append(plain, "got "+e.Text)
		}
	}
	for _, b := range g.released {
		for _, text := range b.texts {
			released, since[text] = append(released, text), b.at
		}
	}
	for _, e := range ofKind(mine, emulator.Arrived) {
		if slices.Contains(plain, e.Text) {
			answers = append(answers, e.Text)
			continue
		}
		arrived = append(arrived, e.Text)
		if e.At.Before(since[e.Text]) {
			wrong = append(wrong, fmt.Sprintf("before it was approved: %q", e.Text))
		}
	}
	wrong = append(append(wrong, inOrder(plain, answers)...), missing(plain, answers)...)
	return append(append(append(wrong, inOrder(released, arrived)...), missing(released, arrived)...), g.odd...)
}

// after decides about what is left, lets what expires expire, and looks what happened beside the answers.
func (g *approver) after(ctx context.Context) error {
	g.over = true
	if err := g.do(ctx, "desk"); err != nil {
		return err
	}
	time.Sleep(soon + 3*time.Minute)
	var wanted []string
	for _, b := range g.released {
		wanted = append(wanted, b.name)
	}
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.buyer, State: event.StateHeld, Limit: 100})
		if err != nil {
			return err
		}
		for i := range held {
			g.odd = append(g.odd, "still held: "+held[i].Key)
		}
		for _, list := range []string{"bought", "rang"} {
			entries, err := d.Entries(ctx, accountName, list, "", 1000)
			if err != nil {
				return err
			}
			var got []string
			for i := range entries {
				got = append(got, entries[i].Text)
			}
			g.beside("the list "+list, wanted, got)
		}
		return g.compare(ctx, d, wanted)
	})
}

// compare looks at what the conversation and the team have got.
func (g *approver) compare(ctx context.Context, d inspect.Inspector, wanted []string) error {
	c, err := d.Conversation(ctx, event.Key{Account: accountName, Peer: g.buyer})
	if err != nil {
		return err
	}
	g.beside("labels", wanted, c.Labels)
	for _, name := range wanted {
		if !strings.Contains(string(c.Values["approver/memory"]), `"`+name+`":`) {
			g.odd = append(g.odd, fmt.Sprintf("no stamp: %q in %s", name, c.Values["approver/memory"]))
		}
	}
	notices, err := d.Unsent(ctx, 1000)
	var got []string
	for i := range notices {
		if notices[i].Account == accountName && notices[i].Who == "approvers" {
			got = append(got, notices[i].Text)
		}
	}
	g.beside("notices", wanted, got)
	return err
}

// beside compares what happened beside the answers with what was released: each once.
func (g *approver) beside(what string, wanted, got []string) {
	wanted, got = slices.Sorted(slices.Values(wanted)), slices.Sorted(slices.Values(got))
	if !slices.Equal(wanted, got) {
		g.odd = append(g.odd, fmt.Sprintf("%s: want %q, have %q", what, wanted, got))
	}
}
