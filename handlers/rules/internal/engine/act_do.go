package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
	"github.com/nectar-bot/nectar/platform"
)

// target says where something is said.
type target uint8

const (
	toPlace   target = iota // where it was said
	toMessage               // in private
)

// doAct does what one line of a rule says. p is what a conversation with steps has come to; nil for rules.
func (d *decider) doAct(a *grammar.Act, p *decision.Progress) {
	// Draws are made of it, so that two lines of a rule do not wait alike.
	d.line++
	where := fmt.Sprintf("%s/%d", d.at.id, d.line)
	switch {
	case a.Reply != nil:
		d.sayText(a.Reply, where, p, toPlace)
	case a.Message != nil:
		d.sayText(a.Message, where, p, toMessage)
	case a.Like != "":
		d.onPost(event.VerbLike)
	case a.Repost != "":
		d.onPost(event.VerbRepost)
	case a.Follow != "":
		d.do(decision.Action{Verb: event.VerbFollow})
	case a.Wait != nil:
		d.offset += d.draw(*a.Wait, where)
		d.waited = true
	case a.Handoff != nil:
		d.handOff(a.Handoff, p)
	case a.Start != "":
		// A person is led by one conversation at a time: its questions would be answered with answers to the other one's.
		if t := d.v.Conversations[a.Start]; t != nil && !d.state.Flow.Active() {
			d.start(t)
		}
	default:
		d.keepBooks(a, p)
	}
}

// keepBooks does what concerns nobody but us.
func (d *decider) keepBooks(a *grammar.Act, p *decision.Progress) {
	switch {
	case d.dry:
	case a.Notify != nil:
		d.notify(a.Notify, p)
	case a.ForgetAnswers && p != nil:
		p.Answers, p.Taken = nil, nil
	case d.status == decision.Ask: //mutate:ask-books
		d.keepBooksLater(a, p)
	case len(a.Label) > 0:
		for _, l := range a.Label {
			d.changed = PutOn(&d.state, l) || d.changed
		}
	case len(a.Unlabel) > 0:
		for _, l := range a.Unlabel {
			d.changed = takeOff(&d.state, l) || d.changed
		}
	case a.List != "":
		d.out.Entries = append(d.out.Entries, decision.Entry{Rule: d.at.id, List: a.List, Text: d.keptText()})
	case a.SaveLead != nil:
		d.out.Entries = append(d.out.Entries, d.leadOf(a.SaveLead, p))
	}
}

// keptText returns what was said as it may be kept.
func (d *decider) keptText() string {
	if len(d.out.Masks) > 0 {
		return decision.Masked
	}
	return d.said
}

// sayText says something, and returns when it leaves.
func (d *decider) sayText(s *grammar.Say, where string, p *decision.Progress, to target) time.Time {
	if s == nil {
		return d.now
	}
	t := d.chooseText(s, where)
	a := decision.Action{Verb: event.VerbMessage}
	if to == toPlace && (d.when == grammar.OnMention || d.when == grammar.OnReply) && d.event.Post != 0 {
		a.Verb, a.Post = event.VerbPost, d.event.Post
	}
	if d.offset == 0 {
		d.offset = d.draw(d.at.replyAfter, where)
	}
	read := d.leaves(a.Verb) //mutate:next-open
	a.Text, a.Private = d.fillText(t, p, read)
	a.Text = d.notedText(&t) + a.Text
	if d.in.Variants {
		a.Variants = d.variants(s, p, read)
	}
	due, ok := d.do(a)
	switch {
	case !ok:
	case d.isLive():
		d.state.Memory.Answered, d.changed = d.now, true
	case d.status == decision.Ask: // what waits for a person answers nobody yet
		d.stampLater(stampAnswered)
	}
	return due
}

// texts returns what may be said, of which choose takes one.
func (d *decider) texts(s *grammar.Say) []template.Template {
	if s.Saved == "" {
		return s.Texts
	}
	saved, _ := d.at.Scope.replies.Get(s.Saved)
	return saved.Texts
}

// variants returns all that may be said, filled in.
func (d *decider) variants(s *grammar.Say, p *decision.Progress, due time.Time) []string {
	var all []string
	for _, t := range d.texts(s) {
		filled, _ := d.fillText(t, p, due)
		all = append(all, d.notedText(&t)+filled)
	}
	return all
}

// chooseText returns the text to say: of several each in its turn, beginning anywhere.
func (d *decider) chooseText(s *grammar.Say, where string) template.Template {
	texts := d.texts(s)
	switch len(texts) {
	case 0:
		return template.Template{}
	case 1:
		return texts[0]
	}
	n := d.state.Memory.Used[where]
	if d.state.Memory.Used == nil {
		d.state.Memory.Used = map[string]int{}
	}
	d.state.Memory.Used[where], d.changed = n+1, true
	first := hash(fmt.Sprint(d.state.Peer), where) % uint64(len(texts))
	return texts[(first+uint64(n))%uint64(len(texts))]
}

// onPost does something with the post that the event is about.
func (d *decider) onPost(verb event.Verb) {
	if d.event.Post != 0 {
		d.do(decision.Action{Verb: verb, Post: d.event.Post})
	}
}

// do decides an action, unless it would fall into quiet hours and is dropped then, or has nothing to say. It
// returns when the action leaves, and whether it does.
func (d *decider) do(a decision.Action) (time.Time, bool) {
	if d.mute || d.unsaid != "" {
		return d.now, false
	}
	a.Rule, a.Status, a.Due = d.at.id, d.status, d.now.Add(d.offset)
	if a.Verb.Makes() {
		if a.Text = fitting(a.Text, a.Verb); a.Text == "" {
			d.noteRule(d.at, true, "there is nothing to say")
			return a.Due, false
		}
	}
	if d.isDropped(a.Due) && d.at.led == nil { // in a conversation, the person wrote to us
		d.quiet = true
		d.noteRule(d.at, true, "quiet hours: not done")
		return a.Due, false
	}
	if a.Due = d.leaves(a.Verb); a.Verb.Makes() && a.Status.Acts() {
		d.noteSpoken(a.Due)
	}
	if s := d.at.Scope; s.quiet == nil || a.Due.Equal(d.now.Add(d.offset)) { //mutate:pull-in-quiet
		a.Delay = a.Due.Sub(d.now)
	}
	a.Stale = a.Due.Add(max(0, d.at.answerWithin-d.event.Age(d.now)))
	if d.joinMessage(&a) {
		d.joinBundle(a.Status)
		return d.out.Actions[d.put].Due, true
	}
	if a.Status == decision.Ask {
		b := d.currentBundle()
		b.Actions = append(b.Actions, len(d.out.Actions))
	}
	d.out.Actions = append(d.out.Actions, a)
	return a.Due, true
}

// leaves returns when what is done now leaves: behind its pause and quiet hours.
func (d *decider) leaves(verb event.Verb) time.Time {
	due := d.afterQuiet(d.now.Add(d.offset), verb)
	if verb.Makes() && d.status.Acts() { // what is said stays in the order in which it was decided
		due = d.inOrder(due)
	}
	return due
}

// isDropped reports whether what would be done then is not done at all, since it falls into quiet hours.
func (d *decider) isDropped(at time.Time) bool {
	s := d.at.Scope
	if s.quiet == nil || s.inQuiet != grammar.Drop {
		return false
	}
	_, quiet := s.quiet.Until(at.In(s.zone))
	return quiet
}

// afterQuiet returns when an action that falls into quiet hours is done. All messages to one person get the
// same time, so that they stay in their order.
func (d *decider) afterQuiet(at time.Time, verb event.Verb) time.Time {
	s := d.at.Scope
	if s.quiet == nil {
		return at
	}
	end, quiet := s.quiet.Until(at.In(s.zone))
	if !quiet {
		return at
	}
	seed := d.seed()
	if verb.Makes() {
		seed = fmt.Sprint(d.in.Trigger.Key.Account, "/", d.state.Peer, "/", end.Unix())
	}
	return end.Add(drawn(bounds.Span{To: quietSpread}, seed, "quiet")).UTC()
}

// fitting returns a text as the platform takes it: cut where it is too long, since people's words may stand
// in it.
func fitting(said string, verb event.Verb) string {
	most := bot.MaxMessage
	if verb == event.VerbPost {
		most = bot.MaxPost
	}
	said = strings.TrimSpace(said)
	for i := range said {
		if most--; most < 0 {
			return strings.TrimSpace(said[:i])
		}
	}
	return said
}

// quietSpread is over how long what was held in quiet hours is spread afterwards.
const quietSpread = 30 * time.Minute

// keepFact keeps a fact of the decision itself.
func (d *decider) keepFact(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		d.err = err
		return
	}
	if d.out.Facts == nil {
		d.out.Facts = decision.Facts{}
	}
	d.out.Facts[name] = raw
}

// draw draws a time out of a span: the same one whenever it is decided again.
func (d *decider) draw(s bounds.Span, what string) time.Duration {
	return drawn(s, d.seed(), what)
}

func drawn(s bounds.Span, seed, what string) time.Duration {
	if s.To <= s.From {
		return s.From
	}
	return s.From + time.Duration(hash(seed, what)%uint64(s.To-s.From+1))
}

// seed is what draws depend on: what is answered.
func (d *decider) seed() string {
	if len(d.ids) > 0 {
		return string(d.in.Trigger.Key.Account) + "/" + d.ids[len(d.ids)-1].String()
	}
	return d.in.Trigger.ID()
}

// hash mixes strings into a number, evenly.
func hash(parts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	return h
}

func postID(n int64) platform.PostID { return platform.PostID(n) }

// fillText returns a text as it is said when it is due, and whether it tells a private answer.
func (d *decider) fillText(t template.Template, p *decision.Progress, due time.Time) (string, bool) {
	private := saysPrivate(p, &t) || len(d.out.Masks) > 0 && slices.ContainsFunc(t.Variables(), func(v template.Variable) bool { return v.Name == "text" })
	return t.FillText(func(name string) string { return d.value(name, p, due) }), private
}

// value returns what stands for a variable; "" when it is not known.
func (d *decider) value(name string, p *decision.Progress, due time.Time) string {
	switch name {
	case "first_name":
		return peerIn(&d.state).FirstName()
	case "name":
		return peerIn(&d.state).FullName()
	case "user_name":
		return peerIn(&d.state).UserName()
	case "text":
		return d.said
	case "next_open":
		return d.nextOpen(due)
	}
	_, said := answerFor(p, name)
	return said
}

// TrimNumber returns a number as people write it.
func TrimNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func emailIn(said string) (string, bool) { return language.FindEmail(said) }

func phoneIn(said string) (string, bool) { return language.FindPhone(said, "") }

// scopeOf returns what the rules of a file have in common, of the rule that is tried.
func (d *decider) scopeOf() *scope { return d.at.Scope }
