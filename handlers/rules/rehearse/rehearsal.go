package rehearse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/platform"
)

// Rehearsal is a small world around a Version: people, a clock, limits and timers, all in memory.
// Nothing leaves it. It serves tests in files, the chat in the terminal, and replays.
type Rehearsal struct {
	// Status makes everything act as if it had this status; "" as the files say.
	Status decision.Status
	// Explain asks for every rule why it matched or not.
	Explain bool
	// Holds leaves what needs approval waiting for Rule. Otherwise somebody approves at once.
	Holds bool

	// Paused is what somebody has paused by hand; see Input.
	Paused map[string]string
	// Full says that so much was said to everybody that nothing more leaves: NECTAR_CEILING.
	Full bool

	v       *rules.Version
	now     time.Time
	people  map[platform.UserID]*Guest
	uses    map[string][]time.Time // by limit and scope
	entries map[string]map[string]bool
	timers  []event.Timer
	last    int64
}

// Guest is a person of a rehearsal, with what the engine may ask about them.
type Guest struct {
	State   decision.State
	Follows bool // us
	Profile platform.Profile
	Lists   []string
	Media   bool // their next message without a text is a picture
	Posts   map[platform.PostID]platform.Post

	actions map[string]decision.ActionFact
	held    []heldBundle // in the order in which they were prepared
}

// Scene is what came of one trigger.
type Scene struct {
	At       time.Time
	Peer     platform.UserID
	Trigger  event.Trigger
	Input    decision.Input // what was decided about, with all facts
	Decision decision.Decision
}

// NewRehearsal returns a world in which nothing has happened yet.
func NewRehearsal(v *rules.Version, now time.Time) *Rehearsal {
	return &Rehearsal{v: v, now: now, people: map[platform.UserID]*Guest{}, uses: map[string][]time.Time{}, entries: map[string]map[string]bool{}}
}

// Now returns the time of the rehearsal's clock.
func (r *Rehearsal) Now() time.Time { return r.now }

// Guest returns the person with a user name, who is new at first.
func (r *Rehearsal) Guest(user string) *Guest {
	user = strings.TrimPrefix(user, "@")
	for _, g := range r.people {
		if strings.EqualFold(g.State.User, user) {
			return g
		}
	}
	name := strings.ToUpper(user[:min(1, len(user))]) + user[min(1, len(user)):]
	return r.person(platform.UserID(1000+len(r.people)), name, user)
}

func (r *Rehearsal) person(id platform.UserID, name, user string) *Guest {
	g := r.people[id]
	if g == nil {
		g = &Guest{State: decision.State{Peer: id, Name: name, User: user}, Posts: map[platform.PostID]platform.Post{}, actions: map[string]decision.ActionFact{}}
		r.people[id] = g
	}
	return g
}

// Says lets a person say or do something: kind says what, post which post it is about.
func (r *Rehearsal) Says(g *Guest, kind event.Kind, said string, post platform.PostID) ([]Scene, error) {
	r.last++
	source, image := event.Notifs, ""
	switch kind {
	case event.KindMessage:
		if source = event.Messages; g.Media && said == "" {
			g.Media, said, image = false, engine.PictureText, fmt.Sprintf("https://picture.example/%d.png", r.last)
		}
	case event.KindMention:
		source = event.Mentions
	default: // a notification
	}
	return r.Event(event.Event{
		Account: "rehearsal", ID: event.ID{Source: source, Number: r.last}, Kind: kind, Peer: g.State.Peer, Name: g.State.Name,
		User: g.State.User, Text: said, Image: image, Post: post, SeenAt: r.now,
	})
}

// Writes lets a person write texts in a row, and time pass until they are answered.
func (r *Rehearsal) Writes(g *Guest, texts ...string) ([]Scene, error) {
	var scenes []Scene
	for _, said := range texts {
		some, err := r.Says(g, event.KindMessage, said, 0)
		if scenes = append(scenes, some...); err != nil {
			return scenes, err
		}
	}
	some, err := r.Quiesce()
	return append(scenes, some...), err
}

// Event lets an event happen at the time of the clock.
func (r *Rehearsal) Event(e event.Event) ([]Scene, error) {
	g := r.person(e.Peer, e.Name, e.User)
	if e.Name != "" {
		g.State.Name = e.Name
	}
	if e.User != "" {
		g.State.User = e.User
	}
	s, err := r.decide(g, event.Trigger{Kind: event.ByEvent, Key: e.Key(), Event: e})
	if err != nil {
		return nil, err
	}
	return []Scene{s}, nil
}

// Quiesce lets time pass until what was gathered is answered.
func (r *Rehearsal) Quiesce() ([]Scene, error) {
	var scenes []Scene
	for {
		i := slices.IndexFunc(r.timers, func(t event.Timer) bool { return t.Name == engine.TimerBurst && !r.owned(t) })
		if i < 0 {
			return scenes, nil
		}
		more, err := r.Until(r.timers[i].Due)
		scenes = append(scenes, more...)
		if err != nil {
			return scenes, err
		}
	}
}

// Until lets time pass until then, and what comes due meanwhile happen.
func (r *Rehearsal) Until(then time.Time) ([]Scene, error) {
	var scenes []Scene
	for {
		slices.SortStableFunc(r.timers, func(a, b event.Timer) int { return a.Due.Compare(b.Due) })
		if len(r.timers) == 0 || r.timers[0].Due.After(then) {
			break
		}
		t := r.timers[0]
		r.timers = r.timers[1:]
		if t.Due.After(r.now) {
			r.now = t.Due
		}
		if r.owned(t) { // it is for when the bot speaks again
			t.Due = r.now.Add(engine.OwnedPause)
			r.timers = append(r.timers, t)
			continue
		}
		s, err := r.decide(r.people[t.Key.Peer], event.Trigger{Kind: event.ByTimer, Key: t.Key, Timer: t})
		if err != nil {
			return scenes, err
		}
		scenes = append(scenes, s)
	}
	if then.After(r.now) {
		r.now = then
	}
	return scenes, nil
}

// NextTimer returns when the next timer comes due; false when there is none.
func (r *Rehearsal) NextTimer() (time.Time, bool) {
	if len(r.timers) == 0 {
		return time.Time{}, false
	}
	return slices.MinFunc(r.timers, func(a, b event.Timer) int { return a.Due.Compare(b.Due) }).Due, true
}

// owned reports whether a timer has to wait, since one of our people has the conversation.
func (r *Rehearsal) owned(t event.Timer) bool {
	return r.people[t.Key.Peer].State.Owner != "" && !strings.HasPrefix(t.Name, bot.OwnedTimer)
}

// countUses counts uses of limits.
func (r *Rehearsal) countUses(limitUses []event.LimitUse) {
	for _, c := range limitUses {
		key := c.Limit + "|" + c.Scope
		r.uses[key] = append(r.uses[key], r.now)
	}
}

// decide makes a decision, with all facts that it needs, and takes it over.
func (r *Rehearsal) decide(g *Guest, t event.Trigger) (Scene, error) {
	facts := decision.Facts{}
	for range engine.MostRounds {
		in := decision.Input{Trigger: t, State: g.State, Facts: facts, Now: r.now, Status: r.Status, Explain: r.Explain, Paused: r.Paused}
		d, err := r.v.Decide(in)
		if err != nil {
			return Scene{}, err
		}
		if len(d.Needs) == 0 {
			r.take(g, t, &d)
			return Scene{At: r.now, Peer: g.State.Peer, Trigger: t, Input: in, Decision: d}, nil
		}
		for _, n := range d.Needs {
			raw, err := json.Marshal(r.read(g, n))
			if err != nil {
				return Scene{}, fmt.Errorf("rehearse %s: %w", n.Name, err)
			}
			facts[n.Name] = raw
		}
	}
	return Scene{}, fmt.Errorf("rehearse %s: the rules ask for more and more facts", t.ID())
}

// read returns what the rehearsal knows.
func (r *Rehearsal) read(g *Guest, n decision.Need) any {
	switch n.Kind {
	case decision.NeedProfile:
		return g.Profile
	case decision.NeedFollower:
		return g.Follows
	case decision.NeedPost:
		p, ok := g.Posts[n.Post]
		if !ok {
			p = platform.Post{ID: n.Post, IsOwner: true, Time: r.now.Add(-time.Hour)}
		}
		return p
	case decision.NeedUses:
		return len(r.counted(n.LimitUse))
	case decision.NeedListed:
		return slices.Contains(g.Lists, n.List) || r.entries[n.List][engine.ListKey(g.State.Peer)]
	case decision.NeedEntry:
		return r.entries[n.List][n.Key]
	case decision.NeedAction:
		return g.actions[n.Key]
	case decision.NeedCeiling:
		return r.ceilingRoom()
	default:
		return nil
	}
}

func (r *Rehearsal) counted(c event.LimitUse) []time.Time {
	key := c.Limit + "|" + c.Scope
	if c.Within > 0 {
		r.uses[key] = slices.DeleteFunc(r.uses[key], func(at time.Time) bool { return !at.After(r.now.Add(-c.Within)) })
	}
	return r.uses[key]
}

// take takes a decision over.
func (r *Rehearsal) take(g *Guest, t event.Trigger, d *decision.Decision) {
	g.State = d.State
	r.countUses(d.LimitUses)
	for i, a := range d.Actions {
		g.actions[engine.ActionKey(t, i)] = decision.ActionFact{State: event.StateDone, At: a.Due}
		if a.Status != decision.Ask {
			r.countUses(a.LimitUses)
		}
	}
	for _, e := range d.Entries {
		r.addEntry(e.List, cmp.Or(e.Key, engine.ListKey(g.State.Peer)))
	}
	for _, t := range d.Timers {
		r.set(t)
	}
	r.askPerson(g, t, d)
}

// addEntry puts an entry into a list.
func (r *Rehearsal) addEntry(list, key string) {
	if r.entries[list] == nil {
		r.entries[list] = map[string]bool{}
	}
	r.entries[list][key] = true
}

// set sets a timer; a zero time cancels it.
func (r *Rehearsal) set(t event.Timer) {
	r.timers = slices.DeleteFunc(r.timers, func(x event.Timer) bool { return x.Name == t.Name && x.Key == t.Key })
	if !t.Due.IsZero() {
		r.last++
		t.Occurrence = r.last
		r.timers = append(r.timers, t)
	}
}
