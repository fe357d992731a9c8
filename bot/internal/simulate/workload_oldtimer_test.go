package simulate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
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

// oldtimer is somebody who has known the bot for so long that retention deletes what is over between them, and
// between the bot and the four people: now and then all that has been over for a while becomes a week old. What is
// said is answered once and in order all the same; what is held or quarantined waits, however old it is.
type oldtimer struct {
	s      *simulation
	who    platform.UserID
	better atomic.Bool // the handler of riddles does not fail any more

	said  int
	asked []string // answers that wait for an approval
	hard  []string // answers to riddles
	wrong []string // what was not there when it had to be
	over  bool     // all of it was let go
}

const (
	keep    = 7 * 24 * time.Hour
	overFor = 10 * time.Minute // what is over for so long, nothing that is under way may need
	warm    = 14 * time.Minute // after a start, until retention begins: ten after the first turn, which a riddle may hold up
)

func drawOldtimer(dice *rand.Rand) []string {
	steps := []string{"riddle", "ask", "says", "says"}
	for range 1 + dice.IntN(3) {
		steps = append(steps, "says", "wait", "age", "talks")
		for range dice.IntN(4) {
			steps = append(steps, []string{"says", "talks", "ask", "riddle"}[dice.IntN(4)])
		}
	}
	return steps
}

func newOldtimer(s *simulation) workload { return &oldtimer{s: s} }

func (g *oldtimer) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-oldtimer"})
}

func (g *oldtimer) configure(*bot.Config) {}

func (g *oldtimer) routes() []bot.Route {
	return []bot.Route{bot.On("oldtimer", bot.AnyMessage().If(isFrom(g.who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
		switch {
		case strings.HasPrefix(m.Text, "ask "):
			return t.Reply("got "+m.Text, bot.Held("needs approval"))
		case strings.HasPrefix(m.Text, "riddle ") && !g.better.Load():
			return errors.New("too hard")
		}
		return t.Reply("got " + m.Text)
	})}
}

func (g *oldtimer) do(ctx context.Context, what string) error {
	switch what {
	case "wait":
		return g.s.live(ctx, time.Now().Add(warm), &result{})
	case "age":
		return g.s.inDatabase(ctx, g.age)
	case "talks": // for as long as retention needs to go through all tables
		for range 12 {
			g.say("word")
			if err := g.s.live(ctx, time.Now().Add(5*time.Second), &result{}); err != nil {
				return err
			}
		}
	case "ask":
		g.asked = append(g.asked, g.say("ask"))
	case "riddle":
		g.hard = append(g.hard, g.say("riddle"))
	default:
		g.say("word")
	}
	return nil
}

// say says something, and returns the answer to it.
func (g *oldtimer) say(what string) string {
	g.said++
	text := fmt.Sprint(what, " ", g.said)
	g.s.platform.Say(g.who, g.s.account, text)
	return "got " + text
}

// age makes what has been over for a while older than what is kept.
func (g *oldtimer) age(ctx context.Context, db *sql.DB) error {
	before := time.Now().Add(-overFor).UnixMicro()
	peers := fmt.Sprint(int64(g.who))
	for _, who := range g.s.people {
		peers += fmt.Sprintf(", %d", who)
	}
	for table, columns := range map[string]string{"event": "handled_at", "turn": "handled_at", "action": "decided_at ended_at", "notice": "sent_at"} {
		for column := range strings.FieldsSeq(columns) {
			change := fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[2]s - ? WHERE %[2]s > 0 AND %[2]s < ? AND peer IN (%[3]s)", table, column, peers)
			if table == "action" {
				change += " AND state IN ('done', 'refused', 'withdrawn', 'dead', 'held')"
			}
			if _, err := db.ExecContext(ctx, change, keep.Microseconds(), before); err != nil {
				return fmt.Errorf("age the %ss: %w", table, err)
			}
		}
	}
	return nil
}

func (g *oldtimer) knows(e emulator.Entry) bool { return e.From == g.who || e.To == g.who }

// judge: words are answered once, in their order; what is held or too hard is not, before it is let go.
func (g *oldtimer) judge(mine []emulator.Entry) []string {
	var words, answers, late []string
	for _, e := range mine {
		switch {
		case e.Kind == emulator.Said && strings.HasPrefix(e.Text, "word "):
			words = append(words, "got "+e.Text)
		case e.Kind == emulator.Arrived && strings.HasPrefix(e.Text, "got word "):
			answers = append(answers, e.Text)
		case e.Kind == emulator.Arrived:
			late = append(late, e.Text)
		}
	}
	wrong := append(inOrder(words, answers), missing(words, answers)...)
	if !g.over {
		return append(append(wrong, g.wrong...), inOrder(nil, late)...)
	}
	for _, all := range [][]string{g.asked, g.hard} {
		if len(all) == 0 { // nothing was asked, in a run that was made smaller
			continue
		}
		var got []string
		for _, text := range late {
			if strings.HasPrefix(text, all[0][:len("got a")]) {
				got = append(got, text)
			}
		}
		wrong = append(append(wrong, inOrder(all, got)...), missing(all, got)...)
	}
	return append(wrong, g.wrong...)
}

// after lets everything become old once more, looks whether what waits is still there, and what is over is not,
// and lets go what waits.
func (g *oldtimer) after(ctx context.Context) error {
	if err := g.s.restart(ctx); err != nil { // or retention may have been through just now
		return err
	}
	for _, what := range []string{"says", "wait", "age", "talks"} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
	}
	if err := g.s.inDatabase(ctx, func(ctx context.Context, db *sql.DB) error {
		var old int
		err := db.QueryRowContext(ctx, `SELECT count(*) FROM event WHERE peer = ? AND state = 'handled' AND handled_at < ? AND text <> ''`,
			int64(g.who), time.Now().Add(-keep).UnixMicro()).Scan(&old)
		if old > 0 {
			g.wrong = append(g.wrong, fmt.Sprintf("%d events of a week ago are still there", old))
		}
		return err
	}); err != nil {
		return err
	}
	g.better.Store(true)
	err := g.s.inspect(ctx, func(d inspect.Inspector) error { return g.letGo(ctx, d) })
	g.over = true
	time.Sleep(2 * time.Minute)
	return errors.Join(err, g.s.restart(ctx), g.do(ctx, "says"))
}

// letGo approves what is held, and lets what is quarantined be tried again: all of it has to be there.
func (g *oldtimer) letGo(ctx context.Context, d inspect.Inspector) error {
	key := event.Key{Account: accountName, Peer: g.who}
	held, err := d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.who, State: event.StateHeld, Limit: 100})
	if err != nil {
		return err
	}
	stuck, err := d.Events(ctx, record.EventQuery{Account: accountName, Peer: g.who, State: record.EventQuarantined, Limit: 100})
	if err != nil {
		return err
	}
	if len(held) != len(g.asked) || len(stuck) != len(g.hard) {
		g.wrong = append(g.wrong, fmt.Sprintf("%d answers are held and %d riddles quarantined, want %d and %d",
			len(held), len(stuck), len(g.asked), len(g.hard)))
	}
	requests := []event.Request{{Key: key, Wish: event.WishRetry}}
	for _, text := range g.asked {
		for i := range held {
			if held[i].Text == text {
				requests = append(requests, event.Request{Key: key, Wish: event.WishRelease, Action: held[i].Key})
			}
		}
	}
	_, err = d.Ask(ctx, requests...)
	return err
}
