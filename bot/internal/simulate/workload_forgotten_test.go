package simulate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// forgotten are two people of whom a person of ours wants what is kept to be forgotten, now and then, whether the bot is
// there or not. One of them is ignored at times. What was forgotten is not answered any more, what they say afterwards is
// a stranger's, and what is said while they are ignored is not answered at all.
type forgotten struct {
	s    *simulation
	zoe  platform.UserID
	ida  platform.UserID
	said int

	asked  map[platform.UserID]int // how often somebody was to be forgotten
	silent map[int64]time.Time     // messages that were seen to be forgotten or ignored, and when
	rows   map[int64]string        // what has become of a message: its outcome
	anew   []string                // the answers that strangers get, after all was forgotten
	wrong  []string
}

func drawForgotten(dice *rand.Rand) []string {
	all := []string{
		"zoe word", "zoe word", "zoe word", "zoe late", "zoe hold", "zoe forget", "zoe forget", "ida word", "ida word", "ida word", "ida forget",
		"ida ignore", "ida heed",
	}
	steps := make([]string, 14+dice.IntN(20))
	for i := range steps {
		steps[i] = all[dice.IntN(len(all))]
	}
	return steps
}

func newForgotten(s *simulation) workload {
	return &forgotten{s: s, asked: map[platform.UserID]int{}, silent: map[int64]time.Time{}, rows: map[int64]string{}}
}

func (g *forgotten) begin() {
	g.zoe = g.s.platform.AddPerson(emulator.Person{Username: "guest-zoequill", FirstName: "Zoe", LastName: "Quill"})
	g.ida = g.s.platform.AddPerson(emulator.Person{Username: "guest-idaquill", FirstName: "Ida", LastName: "Quill"})
}

func (g *forgotten) configure(*bot.Config) {}

// remembered counts what was said in a conversation, as far as that was not forgotten.
var remembered = bot.NewValue[int]("simulate", "remembered")

func (g *forgotten) routes() []bot.Route {
	ours := func(ctx context.Context, t *bot.Turn) bool { return isFrom(g.zoe)(ctx, t) || isFrom(g.ida)(ctx, t) }
	return []bot.Route{
		bot.On("forgotten", bot.AnyMessage().If(ours), func(_ context.Context, t *bot.Turn, m event.Message) error {
			n, _, err := remembered.Load(t)
			if err != nil {
				return err
			}
			t.After(time.Hour, "quill")
			options := []bot.Option{}
			switch {
			case strings.Contains(m.Text, "late"):
				options = append(options, bot.In(10*time.Second))
			case strings.Contains(m.Text, "hold"):
				options = append(options, bot.Held("wait"))
			}
			return errors.Join(remembered.Save(t, n+1), t.Reply(fmt.Sprintf("%s is number %d", m.Text, n+1), options...))
		}),
	}
}

func (g *forgotten) do(ctx context.Context, what string) error {
	name, what, _ := strings.Cut(what, " ")
	who := map[string]platform.UserID{"zoe": g.zoe, "ida": g.ida}[name]
	q := event.Request{Key: event.Key{Account: accountName, Peer: who}, Wish: event.WishForget}
	switch what {
	case "forget":
	case "ignore":
		q.Ignore = true
	case "heed":
		q.Wish = event.WishHeed
	default:
		g.said++
		g.s.platform.Say(who, g.s.account, fmt.Sprintf("quagga %s %d", what, g.said))
		return g.look(ctx)
	}
	if q.Wish == event.WishForget {
		g.asked[who]++
	}
	return errors.Join(g.look(ctx), g.s.inspect(ctx, func(d inspect.Inspector) error {
		_, err := d.Ask(ctx, q)
		return err
	}))
}

// look notes what has become of messages. What is forgotten by now, or was ignored, is not answered from now on.
func (g *forgotten) look(ctx context.Context) error {
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		for _, who := range []platform.UserID{g.zoe, g.ida} {
			rows, err := d.Events(ctx, record.EventQuery{Account: accountName, Peer: who, Limit: 1000})
			if err != nil {
				return err
			}
			for i := range rows {
				id := rows[i].ID.Number
				if rows[i].ID.Source != event.Messages {
					continue
				}
				g.rows[id] = rows[i].Record.Outcome
				if _, ok := g.silent[id]; !ok && (g.rows[id] == bot.OutcomeForgotten || g.rows[id] == bot.OutcomeIgnored) {
					g.silent[id] = time.Now()
				}
			}
		}
		return nil
	})
}

func (g *forgotten) knows(e emulator.Entry) bool {
	return slices.ContainsFunc([]platform.UserID{g.zoe, g.ida}, func(who platform.UserID) bool { return e.From == who || e.To == who })
}

func (g *forgotten) judge(mine []emulator.Entry) []string {
	wrong := slices.Clone(g.wrong)
	if err := g.look(context.Background()); err != nil {
		wrong = append(wrong, err.Error())
	}
	for _, who := range []platform.UserID{g.zoe, g.ida} {
		wrong = append(wrong, g.answered(who, with(mine, who))...)
	}
	for _, want := range g.anew {
		if !slices.ContainsFunc(ofKind(mine, emulator.Arrived), func(e emulator.Entry) bool { return e.Text == want }) {
			wrong = append(wrong, fmt.Sprintf("is no stranger: want %q", want))
		}
	}
	return wrong
}

// answered judges what one of them was told.
func (g *forgotten) answered(who platform.UserID, mine []emulator.Entry) (wrong []string) {
	arrived := ofKind(mine, emulator.Arrived)
	for _, m := range ofKind(mine, emulator.Said) {
		if m.From != who {
			continue
		}
		outcome, since := g.rows[int64(m.Message)], g.silent[int64(m.Message)]
		answers := slices.DeleteFunc(slices.Clone(arrived), func(e emulator.Entry) bool { return !strings.HasPrefix(e.Text, m.Text+" is number ") })
		held := strings.Contains(m.Text, "hold")
		switch n := len(answers); {
		case n > 1:
			wrong = append(wrong, fmt.Sprintf("doubled: the answer to %q", m.Text))
		case outcome == bot.OutcomeHandled && n == 0 && !held, outcome != bot.OutcomeHandled && since.IsZero():
			wrong = append(wrong, fmt.Sprintf("lost: %q, which is %q", m.Text, outcome))
		case outcome == bot.OutcomeIgnored && n > 0:
			wrong = append(wrong, fmt.Sprintf("answered although she is ignored: %q", m.Text))
		case n == 1 && (held || !since.IsZero() && answers[0].At.After(since)):
			wrong = append(wrong, fmt.Sprintf("answered after it was forgotten, or held: %q", m.Text))
		}
	}
	return append(wrong, g.numbered(who, arrived)...)
}

// numbered judges what is remembered of somebody: each answer has a higher number than the one before, unless she was to be
// forgotten in between.
func (g *forgotten) numbered(who platform.UserID, arrived []emulator.Entry) (wrong []string) {
	last, anew := 0, 0
	for _, e := range arrived {
		if strings.Contains(e.Text, "late") { // it may come after later ones
			continue
		}
		var n int
		_, rest, _ := strings.Cut(e.Text, " is number ")
		if _, err := fmt.Sscan(rest, &n); err != nil {
			wrong = append(wrong, err.Error())
		}
		if n <= last {
			anew++
		}
		last = n
	}
	if anew > g.asked[who] {
		wrong = append(wrong, fmt.Sprintf("began anew %d times, and was to be forgotten %d times", anew, g.asked[who]))
	}
	return wrong
}

// after has both forgotten in peace, and heard again. Then nothing is left of what they said, and they are strangers.
func (g *forgotten) after(ctx context.Context) error {
	for _, what := range []string{"zoe word", "ida heed", "zoe forget", "ida forget"} {
		if err := g.do(ctx, what); err != nil {
			return err
		}
		time.Sleep(2 * time.Minute)
	}
	g.bytes()
	for _, who := range []platform.UserID{g.zoe, g.ida} {
		g.said++
		text := fmt.Sprintf("quagga word %d", g.said)
		g.s.platform.Say(who, g.s.account, text)
		g.anew = append(g.anew, text+" is number 1")
	}
	return nil
}

// bytes looks for what was forgotten in the bytes of the database and its log.
func (g *forgotten) bytes() {
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Clean(g.s.present() + suffix))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			g.wrong = append(g.wrong, err.Error())
		}
		for _, word := range []string{"quagga", "Zoe Quill", "Ida Quill", "guest-zoequill", "guest-idaquill"} {
			if bytes.Contains(content, []byte(word)) {
				g.wrong = append(g.wrong, fmt.Sprintf("%q is left in the database%s", word, suffix))
			}
		}
	}
}
