package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// Without get_messages, what is said quickly may be missed. But what is answered is answered once, and
// the last word of whoever then is silent is answered, or the bot holds something there.
func TestSnapshotSeeds(t *testing.T) {
	t.Parallel()
	simulate(t, usualSeeds()/10, drawSnapshotPlan)
}

// drawSnapshotPlan returns the plan of a seed on a platform without get_messages, and without workloads.
func drawSnapshotPlan(seed uint64) plan {
	p := drawPlan(seed)
	p.steps = slices.DeleteFunc(p.steps, func(st step) bool { return st.deed == visits }) // so that a new workload changes no plan
	dice := rand.New(rand.NewPCG(seed, 0x736e6170))
	bare := slices.DeleteFunc(emulator.Dialects(), func(d emulator.NamedDialect) bool {
		return d.Dialect.Messages == emulator.Present
	})
	p.workloads, p.snapshots, p.dialect = nil, true, bare[dice.IntN(len(bare))]
	if dice.IntN(2) == 0 {
		p.noMessages = event.Always
	}
	if dice.IntN(3) == 0 { // much happens between two lists
		p.interval *= time.Duration(2 + dice.IntN(8))
	}
	if dice.IntN(4) == 0 { // a list shows some of the chats
		p.listBreak = 500 + dice.IntN(1000)
	}
	for i := range p.steps {
		switch st := &p.steps[i]; {
		case st.deed != says:
		case dice.IntN(10) == 0:
			st.text = words[dice.IntN(len(words))]
		case i > 20 && dice.IntN(20) == 0:
			st.deed, st.text = phones, fmt.Sprint("from the phone ", i)
		case dice.IntN(15) == 0:
			st.deed, st.text = clears, ""
		case dice.IntN(15) == 0:
			st.deed, st.text = lags, []string{"one", "all"}[dice.IntN(2)]
		}
	}
	p.dropped, p.dialect.Dialect.MinuteAges = dice.IntN(2) == 0, dice.IntN(2) == 0
	return p
}

// words are what the bot says, too, and texts whose difference the list does not show.
var words = []string{
	"one moment", "welcome", "1: line 1",
	strings.Repeat("much of what they say ", 4) + "is the same", strings.Repeat("much of what they say ", 4) + "is not",
}

// phone lets the owner read a chat and write there: without get_messages, only after a list has shown that it counts what is
// unread. Until then nothing tells her words from the person's.
func (s *simulation) phone(ctx context.Context, who platform.UserID, text string) error {
	if s.plan.snapshots {
		if s.incarnation == nil {
			return nil
		}
		cursors, err := s.incarnation.store.Cursors(ctx, accountName, event.Snapshots, []platform.UserID{0})
		if err != nil || len(cursors) == 0 || cursors[0].Mark == 0 {
			return err
		}
	}
	s.platform.MarkSeen(s.account, who)
	s.platform.SayAs(s.account, who, text)
	return nil
}

// lag lets a list leave out a chat, or all.
func (s *simulation) lag(st step) {
	for i, who := range s.people {
		if i == st.who || st.text == "all" {
			s.platform.Unlist(s.account, who, 1)
		}
	}
}

// lastWords lets everybody say something, to be silent then.
func (s *simulation) lastWords() {
	words := make([]string, len(s.people))
	for i := range words {
		words[i] = fmt.Sprint("last word ", i)
	}
	if s.plan.dropped {
		for _, e := range s.platform.Ledger().Since(0) {
			if i := slices.Index(s.people, e.From); i > 0 && e.Kind == emulator.Said {
				words[i] = e.Text
			}
			if i := slices.Index(s.people, e.To); i > 1 && e.Kind == emulator.Arrived {
				words[i] = e.Text
			}
		}
		s.platform.Say(s.people[0], s.account, "I stay") // a list without rows proves nothing
		for _, who := range s.people[1:] {
			s.platform.DeleteChat(who, s.account)
		}
		time.Sleep(10 * time.Minute) // some lists
	}
	for i, who := range s.people {
		s.platform.Say(who, s.account, words[i])
	}
}

// judgeSnapshots tells what is not as it should be where only the last message of a chat is visible.
// What leaves and cannot be read back, messages, is held; everything else is judged as elsewhere.
func (s *simulation) judgeSnapshots(ctx context.Context, since int64) (wrong []string) {
	held := map[platform.UserID][]string{}
	err := s.inspect(ctx, func(d inspect.Inspector) error {
		actions, err := d.Actions(ctx, record.ActionQuery{Account: accountName, State: event.StateHeld, Limit: 10_000})
		for i := range actions {
			held[actions[i].Peer] = append(held[actions[i].Peer], actions[i].Text)
		}
		return err
	})
	if err != nil {
		return []string{err.Error()}
	}
	open, err := s.incarnation.store.Open(ctx, accountName)
	if err != nil || len(open) > 0 {
		return append(wrong, fmt.Sprintf("%d actions have not come to an end: %v", len(open), err))
	}
	var rest []emulator.Entry
	exchanges := map[platform.UserID]*exchange{}
	for _, who := range s.people {
		exchanges[who] = &exchange{}
	}
	for _, e := range s.platform.Ledger().Since(0) {
		switch {
		case e.Kind == emulator.Said && e.Seq > since:
			exchanges[e.From].said = append(exchanges[e.From].said, e)
		case e.Kind == emulator.Arrived:
			exchanges[e.To].heard = append(exchanges[e.To].heard, e)
		default:
			rest = append(rest, e)
		}
	}
	for i, who := range s.people {
		for _, w := range exchanges[who].snapshots(held[who]) {
			wrong = append(wrong, fmt.Sprintf("person %d: %s", i, w))
		}
	}
	measure := expect(s.account, since)
	measure.Replies, measure.ThankReposts, measure.WelcomeFollowers = nil, nil, nil
	if verdict := judge.Entries(rest, measure); !verdict.OK() {
		wrong = append(append(wrong, verdict.String()), verdict.Details...)
	}
	return wrong
}

// snapshots judges what somebody heard. The answers are numbered: each number arrives once at most, and
// in order; one that did not is held, as may be one that did. What they answer was said, as often.
func (x *exchange) snapshots(held []string) (wrong []string) {
	last, moments, once := 0, 0, map[string]int{}
	for _, e := range x.heard {
		n, text, numbered := numbered(e.Text)
		switch {
		case e.Text == answer(4, ""):
			moments++
		case !numbered:
			if once[e.Text]++; once[e.Text] > 1 {
				wrong = append(wrong, fmt.Sprintf("doubled: %q", e.Text))
			}
		default:
			if n <= last {
				wrong = append(wrong, fmt.Sprintf("doubled, or out of order: %q", e.Text))
			}
			last = max(last, n)
			if !x.was(text, e) {
				wrong = append(wrong, fmt.Sprintf("answered more often than it was said: %q", e.Text))
			}
		}
	}
	if moments > last/4+1+len(held) {
		wrong = append(wrong, fmt.Sprintf("%d answers are %q, of %d", moments, answer(4, ""), last))
	}
	known := slices.Clone(held) // what is missing may be held
	for _, e := range x.heard {
		known = append(known, e.Text)
	}
	for n := range last {
		if n++; n%4 != 0 && !slices.ContainsFunc(known, func(text string) bool { return strings.HasPrefix(text, fmt.Sprint(n, ":")) }) {
			wrong = append(wrong, fmt.Sprintf("lost: the answer number %d", n))
		}
	}
	if len(held) > 0 || len(x.said) == 0 {
		return wrong
	}
	return append(wrong, x.silent()...)
}

// was reports whether a text was said before its answer, at least as often as it was answered.
func (x *exchange) was(text string, answer emulator.Entry) bool {
	shown := strings.TrimSuffix(text, "...")
	said, answered := 0, 0
	for _, e := range x.said {
		if e.Seq < answer.Seq && strings.HasPrefix(e.Text, shown) {
			said++
		}
	}
	for _, e := range x.heard {
		if _, other, ok := numbered(e.Text); ok && e.Seq <= answer.Seq && strings.TrimSuffix(other, "...") == shown {
			answered++
		}
	}
	return answered <= said
}

// silent judges the last word. Words of the bot that come right after it may have hidden it.
func (x *exchange) silent() []string {
	word := x.said[len(x.said)-1]
	after := slices.IndexFunc(x.heard, func(e emulator.Entry) bool { return e.Seq > word.Seq })
	if after < 0 {
		return []string{fmt.Sprintf("lost: nothing was heard after %q, and nothing is held", word.Text)}
	}
	return nil
}

// numbered takes an answer apart.
func numbered(heard string) (n int, text string, ok bool) {
	number, text, ok := strings.Cut(heard, ": ")
	if _, err := fmt.Sscan(number, &n); err != nil {
		return 0, "", false
	}
	return n, text, ok
}
