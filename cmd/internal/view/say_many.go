package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/broadcast"
	"github.com/nectar-bot/nectar/platform"
)

// addressee is somebody who is to be told what many are.
type addressee struct {
	key  event.Key
	post platform.PostID // below which it is said; 0 for a message
	who  string
	why  event.Reason // why they are left out; "" when they are not
}

// endsSaid says how somebody ends what many are told, by the language of the settings; the stop word stands in it.
var endsSaid = map[string]string{
	"en": "Write %s and you get no more messages like this.", "es": "Escribe %s y no recibirás más mensajes como este.",
	"pt": "Escreve %s e não recebes mais mensagens como esta.", "fr": "Écrivez %s et vous ne recevrez plus de messages comme celui-ci.",
	"de": "Schreib %s, und du bekommst keine solchen Nachrichten mehr.",
}

// SayToMany says something to all who stand on a list, or sets right what a rule has said. Unless it is sent, it is only shown.
func (s *Saying) SayToMany(ctx context.Context, d *View, said string) error {
	if len(d.Meant) != 1 {
		return errors.New("say for which account, with --account NAME: what many are told is one account's")
	}
	account := d.Meant[0]
	find, what := s.onList, fmt.Sprintf("on the list %s of %s", s.List, account)
	if s.Rule != "" {
		find, what = s.wereTold, fmt.Sprintf("told %q by %s on %s", s.Was, s.Rule, account)
	}
	those, err := find(ctx, d, account)
	if err != nil {
		return err
	}
	if len(those) == 0 {
		return fmt.Errorf("nobody was %s", what)
	}
	m := broadcast.Message{Text: said, Corrects: s.Rule != ""}
	most := bot.MaxMessage
	if slices.ContainsFunc(those, func(a addressee) bool { return a.post != 0 }) {
		most = bot.MaxPost
	}
	all, err := d.InForce(ctx)
	if err != nil {
		return err
	}
	m.Ends, m.Window = bounded(VersionsOf(all)[account])
	if err := textProblem(said, most-len(m.Ends)-1); err != nil {
		return err
	}
	if err := d.leaveOut(ctx, those); err != nil {
		return err
	}
	told := slices.DeleteFunc(slices.Clone(those), func(a addressee) bool { return a.why != "" })
	if err := d.showMany(those, told, what, &m); err != nil {
		return err
	}
	if !s.Send {
		if d.JSON {
			return nil
		}
		return print.SayLine(d.Out, "\nNothing was said. --send says it.")
	}
	return s.send(ctx, d, told, m)
}

// bounded returns how somebody ends what many are told, and when it may be said, by the rules in force.
func bounded(v *rules.Version) (ends string, w broadcast.Window) {
	if v == nil {
		return "", w
	}
	stopWords, quiet := v.Silence()
	if len(stopWords) > 0 {
		ends = fmt.Sprintf(cmp.Or(endsSaid[v.Language()], endsSaid["en"]), strings.ToUpper(stopWords[0]))
	}
	if quiet != nil {
		w = broadcast.Window{From: int(quiet.To), To: int(quiet.From), Zone: v.Zone().String()}
	}
	return ends, w
}

// onList finds who stands on a list, each once.
func (s *Saying) onList(ctx context.Context, d *View, account event.Account) (those []addressee, err error) {
	seen := map[platform.UserID]bool{}
	err = d.eachEntry(ctx, account, s.List, func(e event.Entry) {
		if e.Peer != 0 && !seen[e.Peer] {
			seen[e.Peer] = true
			those = append(those, addressee{key: event.Key{Account: account, Peer: e.Peer}})
		}
	})
	return those, err
}

// wereTold finds whom a rule has told something, and where: only what has arrived counts.
func (s *Saying) wereTold(ctx context.Context, d *View, account event.Account) (those []addressee, err error) {
	type place struct {
		peer platform.UserID
		post platform.PostID
	}
	seen := map[place]bool{}
	err = d.Recorded(ctx, account, time.Now().Add(-s.Since), func(r record.Recorded) error {
		for i := range r.Actions {
			a := &r.Actions[i]
			at := place{a.Peer, a.Post}
			if a.State != event.StateDone || !a.Verb.Makes() || !strings.Contains(a.Text, s.Was) || !slices.Contains(strings.Split(a.Rule, ", "), s.Rule) || seen[at] {
				continue
			}
			seen[at] = true
			those = append(those, addressee{key: event.Key{Account: account, Peer: a.Peer}, post: a.Post})
		}
		return nil
	})
	return those, err
}

// leaveOut finds out who is not to be told, and names all.
func (v *View) leaveOut(ctx context.Context, those []addressee) error {
	now := time.Now()
	for some := range slices.Chunk(those, entriesAtOnce) {
		peers := make([]platform.UserID, len(some))
		for i := range some {
			peers[i] = some[i].key.Peer
		}
		rows, err := v.Conversations(ctx, some[0].key.Account, peers)
		if err != nil {
			return err
		}
		by := map[platform.UserID]*record.ConversationRow{}
		for i := range rows {
			by[rows[i].Key.Peer] = &rows[i]
		}
		for i := range some {
			a := &some[i]
			events, err := v.Events(ctx, record.EventQuery{Account: a.key.Account, Peer: a.key.Peer, Limit: 1})
			if err != nil {
				return err
			}
			c := by[a.key.Peer]
			if c == nil {
				c = &record.ConversationRow{}
			}
			a.who = print.PersonName(c.User, int64(a.key.Peer))
			switch {
			case !c.Silence.Since.IsZero():
				a.why = event.Because(broadcast.WhySilent)
			case c.Owner != "":
				a.why = event.Because(broadcast.WhyOwned, "owner", c.Owner)
			case c.Unreachable.After(now):
				a.why = event.Because(broadcast.WhyUnreachable)
			case len(events) == 0 || now.Sub(events[0].SeenAt) > broadcast.QuietFor:
				a.why = event.Because(broadcast.WhyQuiet)
			}
		}
	}
	return nil
}

const mostNamed = 20 // of those who are left out

// showMany shows who would be told what, and who would not.
func (v *View) showMany(those, told []addressee, what string, m *broadcast.Message) error {
	if v.JSON {
		return v.printMany(those)
	}
	names := make([]string, 0, 3)
	for i := range told[:min(len(told), cap(names))] {
		names = append(names, told[i].who)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s; %d are told", print.CountText(len(those), "person was", "people were"), what, len(told))
	if len(told) > 0 {
		fmt.Fprintf(&b, ": %s", strings.Join(names, ", "))
	}
	if n := len(told) - len(names); n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	fmt.Fprintf(&b, "\n\n%s\n", m.Text)
	if m.Ends != "" {
		fmt.Fprintf(&b, "%s (below the first one that somebody gets)\n", m.Ends)
	}
	if len(told) < len(those) {
		b.WriteString("\nleft out:\n")
	}
	if _, err := fmt.Fprint(v.Out, b.String()); err != nil || len(told) == len(those) {
		return err
	}
	t := print.Table{Head: []string{"WHO", "WHY"}}
	left := slices.DeleteFunc(slices.Clone(those), func(a addressee) bool { return a.why == "" })
	for i := range left[:min(len(left), mostNamed)] {
		t.Add(left[i].who, broadcast.SaidText(left[i].why))
	}
	if err := t.Print(v.Out, ""); err != nil {
		return err
	}
	if n := len(left) - mostNamed; n > 0 {
		return print.SayLine(v.Out, "and %d more", n)
	}
	return nil
}

// printMany prints for machines who would be told, and who would not.
func (v *View) printMany(those []addressee) error {
	return print.WriteLines(v.Out, those, func(to *addressee) any {
		l := toldLine{Account: to.key.Account, Who: to.who, State: "addressed", Code: to.why}
		if to.why != "" {
			l.State, l.Why = bot.OutcomeNotSaid, broadcast.SaidText(to.why)
		}
		return l
	})
}

// send has the bot tell each of them, one after the other.
func (s *Saying) send(ctx context.Context, d *View, told []addressee, m broadcast.Message) error {
	if len(told) == 0 {
		return errors.New("nobody is left to be told")
	}
	now := time.Now()
	m.ID = "say-" + strconv.FormatInt(now.Unix(), 36)
	slots := broadcast.PlanSlots(len(told), now, m.Window, 0)
	requests := make([]event.Request, len(told))
	for i := range told {
		one := m
		one.Post = int64(told[i].post)
		requests[i] = event.Request{Key: told[i].key, Wish: event.WishSay, Subject: m.ID, Text: string(one.Encode()), Until: slots[i], By: d.By}
	}
	if _, err := d.Ask(ctx, requests...); err != nil {
		return err
	}
	if d.JSON {
		return print.WriteLine(d.Out, map[string]any{"id": m.ID, "from": slots[0].UTC(), "until": slots[len(slots)-1].UTC()})
	}
	_, err := fmt.Fprintf(d.Out, "\n%s: it is said from %s to %s at the earliest, behind all answers, %d today at most.\nnectar say --results %s shows who got it; nectar say --stop %s ends it; nectar pause holds it.\n",
		m.ID, print.TimeText(slots[0]), print.TimeText(slots[len(slots)-1]), broadcast.MostPerDay(0), m.ID, m.ID)
	return err
}

// StopSaying ends what many are told.
func (s *Saying) StopSaying(ctx context.Context, d *View) error {
	var decisions []Decision
	for _, account := range d.Meant {
		decisions = append(decisions, Decision{Request: event.Request{Key: event.Key{Account: account}, Wish: event.WishSay, Subject: s.Stop}, About: s.Stop})
	}
	return d.AskDecisions(ctx, s.Wait, decisions)
}

// toldLine is what became of what one person was to be told.
type toldLine struct {
	Account event.Account `json:"account"`
	Who     string        `json:"who"`
	At      time.Time     `json:"at,omitzero"`
	State   string        `json:"state"` // addressed, before it is sent; said, waiting, not said, or as its action stands
	Why     string        `json:"why,omitempty"`
	Code    event.Reason  `json:"code,omitempty"` // the same for programs
}

// ShowTold shows who was told what many are, who is not, and why.
func (s *Saying) ShowTold(ctx context.Context, d *View) error {
	var lines []toldLine
	for _, account := range d.Meant {
		some, err := d.toldOn(ctx, account, broadcast.TimerPrefix+s.Results)
		if err != nil {
			return err
		}
		lines = append(lines, some...)
	}
	if len(lines) == 0 {
		return fmt.Errorf("nothing is known of %q: nectar say names it when it is sent", print.PlainText(s.Results, 40))
	}
	counts := map[string]int{}
	t := d.newTable("WHO", "STATE", "AT", "WHY")
	for i := range lines {
		l := &lines[i]
		counts[l.State]++
		t.AddRow(l, l.Who, l.State, print.TimeText(l.At), print.PlainText(l.Why, 100))
	}
	t.DropEmpty("WHY")
	if err := t.Print(d.Out, ""); err != nil || d.JSON {
		return err
	}
	return print.SayLine(d.Out, "%d said, %d waiting, %d not", counts[said], counts[record.TimerWaiting], len(lines)-counts[said]-counts[record.TimerWaiting])
}

const said = "said"

// toldOn returns what became of it on an account: those who wait for their time, and the last turn of each other.
func (v *View) toldOn(ctx context.Context, account event.Account, timer string) (lines []toldLine, err error) {
	waits, err := v.Timers(ctx, record.TimerQuery{Account: account, State: record.TimerWaiting, Until: time.Now().AddDate(1, 0, 0), Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // by person and place
	for i := range waits {
		if w := &waits[i]; w.Name == timer || strings.HasPrefix(w.Name, timer+"/") {
			seen[placeOf(w.ID())] = true
			lines = append(lines, toldLine{account, print.PersonName(w.User, int64(w.Key.Peer)), w.Due, record.TimerWaiting, w.Note, w.Why})
		}
	}
	turns, err := v.Turns(ctx, record.TurnQuery{Account: account, Timer: timer, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	var peers []platform.UserID
	for i := range turns {
		peers = append(peers, turns[i].Peer)
	}
	rows, err := v.Conversations(ctx, account, peers)
	if err != nil {
		return nil, err
	}
	for i := range turns {
		t := &turns[i]
		if seen[placeOf(t.ID)] {
			continue
		}
		seen[placeOf(t.ID)] = true
		user := ""
		if c := slices.IndexFunc(rows, func(c record.ConversationRow) bool { return c.Key.Peer == t.Peer }); c >= 0 {
			user = rows[c].User
		}
		l := toldLine{account, print.PersonName(user, int64(t.Peer)), t.HandledAt, t.Record.Outcome, broadcast.SaidText(t.Record.Why), t.Record.Why}
		did, err := v.ActionsOf(ctx, account, t.ID)
		if err != nil {
			return nil, err
		}
		for j := range did {
			if a := &did[j]; a.State == event.StateDone {
				l.State, l.Why, l.Code, l.At = said, "", "", a.EndedAt
			} else {
				l.State, l.Why, l.Code = a.State.String(), a.Reason, a.Why
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// placeOf returns whom a timer is about, and where, by the id of its occurrence.
func placeOf(id string) string { return id[:max(0, strings.LastIndexByte(id, '/'))] }
