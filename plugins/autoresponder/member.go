package autoresponder

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// member is an address of one team or more.
type member struct {
	name    string // see memberID
	address rules.Address
	client  *notify.Client
	teams   []membership
	pace
	busy  bool // something is on its way
	fresh bool // the pace is to be stored
}

// membership is a team of a folder.
type membership struct {
	*rules.CalledTeam
	of *calling
}

// mostAtOnce is how many notices a webhook gets in a row.
const mostAtOnce = 100

// id names the address.
func (m *member) id() string { return m.name }

// memberID names an address. Folders that write to it from mail servers of their own do so apart.
func memberID(a *rules.Address, c *calling, all callings) string {
	if a.Service() == notify.Mail && c.Server.ID() != all[0].Server.ID() {
		return a.ID() + "/" + c.Server.ID()
	}
	return a.ID()
}

// teamOf returns the team by which a notice is for the member; nil when it is not. A notice for a team that the settings do
// not have any more goes to all teams that are called.
func (m *member) teamOf(l *letter) *membership {
	for i := range m.teams {
		t := &m.teams[i]
		all := l.Who == event.Everybody || !t.of.hasTeam(l.Who)
		switch {
		case !t.of.isAbout(l.Account):
		case l.Kind == notify.KindUndelivered: // for everybody who can be reached
			return t
		case l.Who == t.Name, all && slices.Contains(t.of.Call, t.Name):
			return t
		}
	}
	return nil
}

// isMachine reports whether a program reads what the member gets: it sleeps at no time, and gets each notice alone.
func (m *member) isMachine() bool { return m.address.Service() == notify.Webhook }

// quiet reports whether a notice has to wait, since its team is left alone.
func quiet(t *membership, l *letter, now time.Time) bool {
	if t.Quiet == nil || l.isUrgent(t) { //mutate:called-urgent
		return false
	}
	_, quiet := t.Quiet.Until(now.In(t.of.Zone))
	return quiet
}

// waiting is what a member is to get now.
type waiting struct {
	letters []*letter                  // oldest first
	zones   map[*letter]*time.Location // the zone of the times in it
	urgent  []string                   // the kinds among them that ring at night, too
}

// takeWaiting returns what a member is to get now, if it may be rung.
func (m *member) takeWaiting(letters []*letter, now time.Time) waiting {
	w := waiting{zones: map[*letter]*time.Location{}}
	for _, l := range letters {
		t := m.teamOf(l)
		if t == nil || l.done || l.fates[m.id()].isOver() {
			continue
		}
		if !m.isMachine() && quiet(t, l, now) { //mutate:called-quiet
			continue
		}
		w.letters = append(w.letters, l)
		if w.zones[l] = t.of.Zone; m.isMachine() {
			w.zones[l] = time.UTC
		}
		if l.isUrgent(t) && !slices.Contains(w.urgent, l.Kind) {
			w.urgent = append(w.urgent, l.Kind)
		}
		if m.isMachine() && len(w.letters) == mostAtOnce {
			break
		}
	}
	if !m.isMachine() { // what concerns all people comes before single ones: the rest may only be counted
		slices.SortStableFunc(w.letters, func(x, y *letter) int { return cmp.Compare(min(x.Peer, 1), min(y.Peer, 1)) })
	}
	return w
}

// deliverWaiting sends what waits, and returns what became of it. It runs beside the office.
func (m *member) deliverWaiting(ctx context.Context, w waiting, accounts bool) result {
	r := result{id: m.id(), urgent: w.urgent}
	digests := [][]*letter{w.letters}
	if m.isMachine() {
		digests = digests[:0]
		for _, l := range w.letters {
			digests = append(digests, []*letter{l})
		}
	}
	for i, letters := range digests {
		d := notify.Digest{Urgent: len(w.urgent) > 0, Accounts: accounts}
		for _, l := range letters {
			d.Notices = append(d.Notices, l.shownTo(w.zones[l]))
		}
		if r.err = m.client.Send(ctx, &m.address.Address, &d); r.err != nil {
			for _, rest := range digests[i:] {
				r.failed = append(r.failed, keys(rest)...)
			}
			return r
		}
		r.sent = append(r.sent, keys(letters)...)
	}
	return r
}

func keys(letters []*letter) []string {
	all := make([]string, len(letters))
	for i, l := range letters {
		all[i] = noticeKey(&l.Notice)
	}
	return all
}

// restore takes up how the address stood in an earlier incarnation.
func (m *member) restore(stored json.RawMessage) {
	if len(stored) > 0 && json.Unmarshal(stored, &m.pace) != nil {
		m.pace = pace{}
	}
}

func (m *member) encodeState() json.RawMessage {
	encoded, err := json.Marshal(m.pace)
	if err != nil {
		panic(err) // texts and times always encode
	}
	return encoded
}

// calling is how people are called about the accounts of one folder of rule files.
type calling struct {
	rules.Calling
	known    bool            // the rules of the folder were in force once
	accounts []event.Account // accounts that act by its rules
	others   []event.Account // accounts that act by the rules of other folders
	client   *notify.Client
}

// leadAccount is the account under which notices about the whole folder stand; "" where there is no other folder.
func (c *calling) leadAccount() event.Account {
	if len(c.others) == 0 {
		return ""
	}
	return c.accounts[0]
}

// isAbout reports whether people of the folder are called about an account; "" is the whole bot. About an account that is not there
// any more, the people of all folders are called.
func (c *calling) isAbout(account event.Account) bool {
	return !slices.Contains(c.others, account) //mutate:called-account
}

// hasTeam reports whether the settings of the folder have a team of that name.
func (c *calling) hasTeam(name string) bool {
	return slices.ContainsFunc(c.Teams, func(t rules.CalledTeam) bool { return t.Name == name })
}

// callings are those of all folders.
type callings []*calling

// onlyKnown returns those that are known.
func (cs callings) onlyKnown() callings {
	return slices.DeleteFunc(slices.Clone(cs), func(c *calling) bool { return !c.known })
}

// isUnknown reports whether it is not known yet who is called about an account.
func (cs callings) isUnknown(account event.Account) bool {
	return slices.ContainsFunc(cs, func(c *calling) bool { return !c.known && c.isAbout(account) })
}

// pauses are how long a member is left alone after so many digests that nobody has answered: at least a minute, and ever
// longer. A night of any length rings a dozen times at most.
var pauses = []time.Duration{
	0, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour, time.Hour, time.Hour, 2 * time.Hour,
}

// pace is how an address stands, as it is stored.
type pace struct {
	Rung  time.Time `json:"rung,omitzero"`   // the last digest
	Rings int       `json:"rings,omitzero"`  // digests since a person of ours did something
	Kinds []string  `json:"kinds,omitempty"` // urgent ones in these digests

	Failing time.Time `json:"failing,omitzero"` // since when the address takes no notices
	Tries   int       `json:"tries,omitzero"`   // since then
	Next    time.Time `json:"next,omitzero"`    // of them
	Error   string    `json:"error,omitempty"`  // the last one
}

// noteAttended takes note of when a person of ours last did something: what came before is read.
func (p *pace) noteAttended(at time.Time) bool {
	if p.Rings == 0 || !at.After(p.Rung) {
		return false
	}
	p.Rings, p.Kinds = 0, nil
	return true
}

// dueAt returns when an address may be rung, for urgent kinds of what waits.
func (p *pace) dueAt(urgent []string) time.Time {
	if !p.Failing.IsZero() {
		return p.Next
	}
	pause := pauses[min(p.Rings, len(pauses)-1)] //mutate:called-rarer
	if slices.ContainsFunc(urgent, func(k string) bool { return !slices.Contains(p.Kinds, k) }) {
		pause = min(pause, time.Minute) // of that nobody has heard
	}
	return p.Rung.Add(max(pause, time.Minute))
}

// noteRang notes a digest that arrived.
func (p *pace) noteRang(now time.Time, urgent []string) {
	p.Failing, p.Tries, p.Next, p.Error = time.Time{}, 0, time.Time{}, ""
	p.Rung = now
	p.Rings++
	for _, k := range urgent {
		if !slices.Contains(p.Kinds, k) {
			p.Kinds = append(p.Kinds, k)
		}
	}
}

// noteFailed notes a digest that did not arrive, as far as anybody knows; something urgent among it is tried again soon.
func (p *pace) noteFailed(now time.Time, why error, urgent bool) (first bool) {
	most := mostPause
	if urgent {
		most = urgentPause //mutate:urgent-tries
	}
	if first = p.Failing.IsZero(); first {
		p.Failing = now
	}
	p.Tries++
	p.Next, p.Error = now.Add(min(time.Second<<min(p.Tries, 10), most)), why.Error()
	return first
}
