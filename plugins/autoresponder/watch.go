package autoresponder

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/notify"
)

const (
	watchEvery = 10 * time.Second
	// calm is how long a condition has to be over before that is told, and calmBefore one of an earlier incarnation: what is wrong
	// may take that long to be seen again.
	calm       = 2 * time.Minute
	calmBefore = 20 * time.Minute
	faultFor   = time.Minute // that the store has to fail before people are called
	heldFor    = time.Hour   // that an action has to wait before people are called
	heldEvery  = time.Minute // that is looked for
)

// Watched is a bot, as far as people are called for it.
type Watched interface {
	Health() []bot.Health
	Standing() []bot.Standing
	Judgement() record.Judgement
}

// condition is something that lasts and that people are called for.
type condition struct {
	account event.Account
	kind    string
	subject string
	why     event.Reason // of which handlers/notify makes words
	since   time.Time
	text    string // with what has gone wrong, for who looks after the bot
	ask     string // "" for what belongs to why
	do      string
}

type alarmKey struct {
	account event.Account
	kind    string
	subject string
}

func (c *condition) key() alarmKey { return alarmKey{c.account, c.kind, c.subject} }

// alarm is a condition that was told.
type alarm struct {
	event.Alarm
	seen   time.Time // when it was last there
	before bool      // in an earlier incarnation
}

// watch finds out what people are to be called for.
type watch struct {
	post    *office
	folders func() []*folder
	began   time.Time
	raised  map[alarmKey]*alarm // nil before they were read
	handed  int64               // when they were, see Memory.Handed
	held    map[string]bool     // actions that were told
	looked  time.Time           // for held ones
	next    time.Time
}

// lookForAlarms tells what has begun to last, and what is over. It runs in the goroutine of the office.
func (w *watch) lookForAlarms(ctx context.Context, now time.Time) {
	if now.Before(w.next) {
		return
	}
	w.next = now.Add(watchEvery)
	if (w.raised == nil || w.handed != w.post.memory.Handed()) && !w.restore(ctx, now) {
		return
	}
	watched := w.post.watchedBot()
	there := map[alarmKey]bool{}
	for _, c := range w.conditions(watched, now) {
		if !w.post.memory.Serves(c.account) { // another worker tells it
			continue
		}
		k := c.key()
		there[k] = true
		if a := w.raised[k]; a != nil { //mutate:called-once
			a.seen = now
			continue
		}
		a := event.Alarm{Account: c.account, Kind: c.kind, Subject: c.subject, Since: cmp.Or(c.since, now)}
		w.raised[k] = &alarm{Alarm: a, seen: now}
		w.post.storeNotices(ctx, tell{notices: []event.Notice{c.notice(now)}, begin: []event.Alarm{a}})
	}
	for k, a := range w.raised {
		patience := calm
		if a.before {
			patience = calmBefore
		}
		if !there[k] && now.Sub(a.seen) >= patience {
			delete(w.raised, k)
			w.post.storeNotices(ctx, tell{notices: []event.Notice{overNotice(a, now)}, over: []event.Alarm{a.Alarm}})
		}
	}
	w.waiting(ctx, watched, now)
}

// restore takes up what was told by an earlier incarnation, or by the worker that had an account before, and leaves what another one has now.
func (w *watch) restore(ctx context.Context, now time.Time) bool {
	handed := w.post.memory.Handed()
	alarms, err := w.post.memory.Alarms(ctx)
	if err != nil {
		return false
	}
	before := w.raised
	if before == nil {
		w.held, w.began = map[string]bool{}, now
	}
	w.raised, w.handed = map[alarmKey]*alarm{}, handed
	for k, a := range before {
		if w.post.memory.Serves(k.account) {
			w.raised[k] = a
		}
	}
	for _, a := range alarms {
		k := alarmKey{a.Account, a.Kind, a.Subject}
		if w.raised[k] == nil && w.post.memory.Serves(a.Account) { //mutate:alarm-handed
			w.raised[k] = &alarm{Alarm: a, seen: now, before: true}
		}
	}
	return true
}

// conditions returns what is wrong now.
func (w *watch) conditions(watched Watched, now time.Time) []condition {
	var all []condition
	if since := w.post.memory.Faulty(); !since.IsZero() && now.Sub(since) >= faultFor {
		all = append(all, condition{
			kind: notify.KindDisk, why: event.Because(record.TroubleStore), since: since, do: "nectar doctor",
			text: "The database takes no writes: nothing new is handled until it does",
		})
	}
	for _, fo := range w.folders() {
		all = append(all, fo.faultConditions(now)...)
	}
	if watched == nil {
		return all
	}
	j := watched.Judgement()
	for i := range j.Process {
		if t := &j.Process[i]; t.Why.Code() == record.TroubleDisk {
			all = append(all, condition{kind: notify.KindDisk, why: t.Why, since: t.Since, text: "Soon the database takes no writes: " + t.Says, do: "nectar status"})
		}
	}
	for _, account := range j.Names() {
		for _, t := range j.Accounts[account] {
			switch t.Why.Code() {
			case record.TroubleRefused:
				all = append(all, condition{account: account, kind: notify.KindParked, why: t.Why, since: t.Since, text: sentence(t.Says), do: "nectar doctor"})
			case record.TroubleLate:
				all = append(all, condition{
					account: account, kind: notify.KindLate, why: t.Why, since: t.Since, text: "On " + string(account) + " " + t.Says + ": " + t.Do, do: "nectar outbox --account " + string(account),
				})
			default: // others are told of in their own way
			}
		}
	}
	sources := watched.Health()
	return append(append(all, deafs(sources)...), readings(sources)...)
}

// sentence begins a text as a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// readings returns which sources show ever more rows that nobody knows: nothing new is heard there until that ends.
func readings(sources []bot.Health) []condition {
	var all []condition
	for i := range sources {
		h := &sources[i]
		if h.ReadingSince.IsZero() { //mutate:reading-told
			continue
		}
		all = append(all, condition{
			account: h.Account, kind: notify.KindReading, subject: h.Source.String(), since: h.ReadingSince,
			text: fmt.Sprintf("The %s of %s are read and come to no end: the platform shows ever older ones that nobody knows", h.Source, h.Account), do: "nectar doctor",
		})
	}
	return all
}

// deafs returns which sources are not heard: those of one account, for one reason, together.
func deafs(sources []bot.Health) []condition {
	var all []condition
	for i := range sources {
		h := &sources[i]
		if h.Unhealthy == "" {
			continue
		}
		if n := len(all); n > 0 && all[n-1].account == h.Account { // messages come first
			all[n-1].text = strings.Replace(all[n-1].text, " of", ", "+h.Source.String()+" of", 1)
			continue
		}
		text := fmt.Sprintf("The %s of %s are not heard: %s", h.Source, h.Account, h.Unhealthy)
		if h.Cause != "" {
			text += " (" + h.Cause + ")"
		}
		pairs := []string{"by", howUnhealthy[h.Unhealthy]}
		if h.Source == event.Messages {
			pairs = append(pairs, "messages", "true")
		}
		all = append(all, condition{account: h.Account, kind: notify.KindUnhealthy, why: event.Because(record.TroubleUnhealthy, pairs...), since: h.UnhealthySince, text: text, do: "nectar doctor"})
	}
	return all
}

// howUnhealthy names the ways in which a source is unhealthy that people are told apart; all others count as a platform that does not answer.
var howUnhealthy = map[string]string{
	event.UnhealthyStuck: "stuck", event.UnhealthyStale: "stale", event.UnhealthyEmpty: "empty", event.UnhealthyHidden: "hidden", event.UnhealthyBlind: "blind",
}

// notice is what people are told of a condition.
func (c *condition) notice(now time.Time) event.Notice {
	return event.Notice{
		Account: c.account, ID: fmt.Sprintf("call:%s/%s/%d", c.kind, c.subject, now.UnixMicro()), Who: event.Everybody, At: now, Kind: c.kind,
		Text: c.text, Details: (&event.Details{Why: c.why, Since: c.since, Ask: c.ask, Do: c.do}).Encode(),
	}
}

// overNotice is what people are told when a condition has ended.
func overNotice(a *alarm, now time.Time) event.Notice {
	subject, why := "", event.Reason("")
	if a.Subject != "" {
		subject, why = a.Subject+": ", event.Because("over", "about", a.Subject)
	}
	return event.Notice{
		Account: a.Account, ID: fmt.Sprintf("call:%s/%s/%d/over", a.Kind, a.Subject, a.Since.UnixMicro()), Who: event.Everybody, At: now, Kind: a.Kind,
		Text: fmt.Sprintf("%sit had lasted since %s", subject, a.Since.UTC().Format("2006-01-02 15:04 UTC")), Details: (&event.Details{Why: why, Since: a.Since, Over: true, Plain: true}).Encode(),
	}
}

// waiting tells what has been held for long, each action once.
func (w *watch) waiting(ctx context.Context, watched Watched, now time.Time) {
	const most = 1000
	if watched == nil || now.Sub(w.looked) < heldEvery {
		return
	}
	w.looked = now
	still := map[string]bool{}
	for _, s := range watched.Standing() {
		held, err := w.post.memory.HeldBefore(ctx, s.Account, now.Add(-heldFor), most)
		if err != nil {
			return // the office tells that the store cannot be read
		}
		var t tell
		for i := range held {
			a := &held[i]
			id := string(a.Account) + "/" + a.Key
			if still[id] = true; !w.held[id] {
				t.notices = append(t.notices, stillHeld(a, now))
			}
		}
		if len(t.notices) > 0 {
			w.post.storeNotices(ctx, t)
		}
	}
	w.held = still
}

// stillHeld is what people are told of an action that has been held for long. Its id is the action's: it is stored once.
func stillHeld(a *event.Action, now time.Time) event.Notice {
	d := event.Details{
		Since: a.DecidedAt, Ask: "Look at the conversation first; then let it leave, or: nectar outbox drop " + a.Number(), Do: "nectar outbox release " + a.Number(),
	}
	return event.Notice{
		Account: a.Account, ID: "call:held/" + a.Key, Who: event.Everybody, Peer: a.Peer, At: now, Kind: notify.KindHeld,
		Text: fmt.Sprintf("%s: %s", a.Verb, a.Reason), Details: d.Encode(),
	}
}
