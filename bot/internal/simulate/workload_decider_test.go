package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// decider is a person of ours at the commands. The bot's answers to one of the decider's people wait for
// an approval; at another one's questions the handler fails until it is told better. The decider approves,
// edits and refuses, also twice or both, lets what is quarantined be tried again, and does so whether the
// bot is there or not.
type decider struct {
	s      *simulation
	asker  platform.UserID // whose answers wait for an approval
	stuck  platform.UserID // at whose questions the handler fails
	better atomic.Bool     // it does not any more

	said    int
	decided []decision
	seen    map[string]bool // the keys of what was decided
	rounds  [][]string      // the answers to what was let be tried again at once, in their order
	retried []string        // all of them
	over    bool            // nothing is left to decide
	waits   []string        // what waits all the same
}

// decision is about an action that waits for an approval. The first one counts.
type decision struct {
	held string    // what would arrive
	text string    // what is to arrive; "" for nothing
	at   time.Time // not before
}

func drawDecider(dice *rand.Rand) []string {
	steps := make([]string, 10+dice.IntN(14))
	for i := range steps {
		steps[i] = []string{"ask", "ask", "ask", "plain", "desk", "desk", "fine", "fine", "riddle", "retry"}[dice.IntN(10)]
	}
	return steps
}

func newDecider(s *simulation) workload { return &decider{s: s, seen: map[string]bool{}} }

func (g *decider) begin() {
	g.asker = g.s.platform.AddPerson(emulator.Person{Username: "guest-asker"})
	g.stuck = g.s.platform.AddPerson(emulator.Person{Username: "guest-stuck"})
}

func (g *decider) configure(*bot.Config) {}

func (g *decider) routes() []bot.Route {
	return []bot.Route{
		bot.On("asker", bot.AnyMessage().If(isFrom(g.asker)), func(_ context.Context, t *bot.Turn, m event.Message) error {
			if strings.HasPrefix(m.Text, "ask ") {
				return t.Reply("got "+m.Text, bot.Held("needs approval"))
			}
			return t.Reply("got " + m.Text)
		}),
		bot.On("stuck", bot.AnyMessage().If(isFrom(g.stuck)), func(_ context.Context, t *bot.Turn, m event.Message) error {
			if strings.HasPrefix(m.Text, "riddle ") && !g.better.Load() {
				return errors.New("too hard")
			}
			return t.Reply("got " + m.Text)
		}),
	}
}

func (g *decider) do(ctx context.Context, what string) error {
	g.said++
	switch what {
	case "desk":
		return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.decide(ctx, d) })
	case "retry":
		return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.retry(ctx, d) })
	case "fine", "riddle":
		g.s.platform.Say(g.stuck, g.s.account, fmt.Sprint(what, " ", g.said))
	default:
		g.s.platform.Say(g.asker, g.s.account, fmt.Sprint(what, " ", g.said))
	}
	return nil
}

// decide decides about what waits for an approval, those that have waited longest first.
func (g *decider) decide(ctx context.Context, d inspect.Inspector) error {
	held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.asker, State: event.StateHeld, Limit: 100})
	if err != nil {
		return err
	}
	var requests []event.Request
	for _, a := range slices.Backward(held) {
		if !g.seen[a.Key] && (g.over || g.s.dice.draw("hesitate "+a.Key).x%3 > 0) {
			requests = append(requests, g.wishes(&a)...)
		}
	}
	if len(requests) == 0 {
		return nil
	}
	_, err = d.Ask(ctx, requests...)
	return err
}

// wishes returns what is wished for an action: now and then more than one thing, of which the first is done.
func (g *decider) wishes(a *event.Action) []event.Request {
	g.seen[a.Key] = true
	wish := event.Request{Key: a.Conversation(), Action: a.Key}
	release, edit, drop := wish, wish, wish
	release.Wish, edit.Wish, drop.Wish = event.WishRelease, event.WishEdit, event.WishDrop
	edit.Text = strings.Replace(a.Text, "got", "better than", 1)
	drawn := g.s.dice.draw("decide " + a.Key)
	order := [][]event.Request{
		{release}, {release}, {edit}, {drop}, {release, release}, {release, drop}, {drop, release}, {edit, release}, {release, edit},
	}[drawn.n(9)]
	made := decision{held: a.Text, at: time.Now()}
	switch order[0].Wish {
	case event.WishRelease:
		made.text = a.Text
	case event.WishEdit:
		made.text = edit.Text
	default:
	}
	g.decided = append(g.decided, made)
	return order
}

// retry lets what is quarantined be tried again, as a whole or the first two of it. Every other time the
// handler has not been told better.
func (g *decider) retry(ctx context.Context, d inspect.Inspector) error {
	rows, err := d.Events(ctx, record.EventQuery{Account: accountName, Peer: g.stuck, State: record.EventQuarantined, Limit: 100})
	if err != nil || len(rows) == 0 {
		return err
	}
	slices.SortFunc(rows, func(a, b record.EventRow) int { return int(a.ID.Number - b.ID.Number) })
	q := event.Request{Key: rows[0].Key(), Wish: event.WishRetry}
	drawn := g.s.dice.draw("retry")
	if drawn.n(2) == 0 && !g.over {
		rows = rows[:min(2, len(rows))]
		for i := range rows {
			q.Events = append(q.Events, rows[i].ID)
		}
	}
	g.better.Store(g.over || drawn.n(2) == 0 || g.better.Load())
	var round []string
	for i := range rows {
		round = append(round, "got "+rows[i].Text)
	}
	g.rounds, g.retried = append(g.rounds, round), append(g.retried, round...)
	_, err = d.Ask(ctx, q)
	return err
}

func (g *decider) knows(e emulator.Entry) bool {
	return slices.ContainsFunc([]platform.UserID{g.asker, g.stuck}, func(who platform.UserID) bool { return e.From == who || e.To == who })
}

func (g *decider) judge(mine []emulator.Entry) []string {
	return slices.Concat(g.approved(with(mine, g.asker)), g.tried(with(mine, g.stuck)), g.waits)
}

// approved judges what waits for an approval. What was released leaves in the order of that.
func (g *decider) approved(mine []emulator.Entry) (wrong []string) {
	var plain, released, arrived []string
	for _, e := range ofKind(mine, emulator.Said) {
		if !strings.HasPrefix(e.Text, "ask ") {
			plain = append(plain, "got "+e.Text)
		}
	}
	var since []time.Time
	for _, d := range g.decided {
		if d.text != "" {
			released, since = append(released, d.text), append(since, d.at)
		}
	}
	var answers []string
	for _, e := range ofKind(mine, emulator.Arrived) {
		if slices.Contains(plain, e.Text) {
			answers = append(answers, e.Text)
			continue
		}
		arrived = append(arrived, e.Text)
		if at := slices.Index(released, e.Text); at >= 0 && e.At.Before(since[at]) {
			wrong = append(wrong, fmt.Sprintf("before it was decided: %q", e.Text))
		}
	}
	wrong = append(append(wrong, inOrder(plain, answers)...), missing(plain, answers)...)
	return append(append(wrong, inOrder(released, arrived)...), missing(released, arrived)...)
}

// tried judges what the handler fails at. What was never let be tried again is answered in the order of
// all; what was, once, and not before what was let be tried again with it and comes before it.
func (g *decider) tried(mine []emulator.Entry) (wrong []string) {
	var usual, all, got []string
	for _, e := range ofKind(mine, emulator.Said) {
		if answer := "got " + e.Text; !slices.Contains(g.retried, answer) {
			usual = append(usual, answer)
			if g.over || strings.HasPrefix(e.Text, "fine ") {
				all = append(all, answer)
			}
		}
	}
	arrived := whatIsSaid(ofKind(mine, emulator.Arrived))
	count := map[string]int{}
	for _, text := range arrived {
		if count[text]++; slices.Contains(g.retried, text) && count[text] > 1 {
			wrong = append(wrong, fmt.Sprintf("doubled: %q", text))
		}
		if !slices.Contains(g.retried, text) {
			got = append(got, text)
		}
	}
	wrong = append(append(wrong, inOrder(usual, got)...), missing(all, got)...)
	if g.over {
		wrong = append(wrong, missing(g.retried, arrived)...)
	}
	for _, round := range g.rounds {
		last := -1
		for _, text := range round {
			at := slices.Index(arrived, text)
			if at >= 0 && at < last && g.once(round) {
				wrong = append(wrong, fmt.Sprintf("out of order after a retry: %q", text))
			}
			last = max(last, at)
		}
	}
	return wrong
}

// once reports whether nothing of a round was let be tried again in another one.
func (g *decider) once(round []string) bool {
	for _, text := range round {
		if n := len(slices.DeleteFunc(slices.Clone(g.retried), func(x string) bool { return x != text })); n > 1 {
			return false
		}
	}
	return true
}

// after tells the handler better, decides about everything that is left, and looks whether anything waits
// all the same.
func (g *decider) after(ctx context.Context) error {
	g.over = true
	g.better.Store(true)
	for _, what := range []string{"desk", "retry"} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
	}
	time.Sleep(2 * time.Minute)
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		for _, who := range []platform.UserID{g.asker, g.stuck} {
			held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: who, State: event.StateHeld, Limit: 100})
			if err != nil {
				return err
			}
			for i := range held {
				g.waits = append(g.waits, "still held: "+held[i].Key)
			}
		}
		rows, err := d.Events(ctx, record.EventQuery{Account: accountName, Peer: g.stuck, State: record.EventQuarantined, Limit: 100})
		for i := range rows {
			g.waits = append(g.waits, "still quarantined: "+strconv.Quote(rows[i].Text))
		}
		return err
	})
}
