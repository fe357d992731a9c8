package store

import (
	"math"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// Among what may leave, conversations in which the bot has spoken before go before first contacts. That is decided when an action becomes due, in
// the column known: the store alone has what arrived by then. What leaves at once, as nearly everything does, needs no place among others, and is not looked
// at. Within a conversation it changes no order: all of its due actions have the same value.

const insertAction = `INSERT INTO action (shard, account, key, peer, verb, text, post, target, want, priority, state, due_at, position, settle_from, result, tries, reason, decided_at, left_at, ended_at, private, claims, rule, stale_at, until_at, apart, why, known, delay) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `

const (
	// isKnown is as what else is due of the conversation; if nothing is, 1 where a message had arrived below an id. It ends with what it is else.
	isKnown = `coalesce((SELECT known FROM action INDEXED BY action_kind WHERE shard = ?1 AND account = ?2 AND peer = ?4 AND state = 'due'
			AND known < 2 LIMIT 1),
		(SELECT 1 FROM action INDEXED BY action_met WHERE shard = ?1 AND account = ?2 AND peer = ?4 AND state = 'done' AND verb = 'message' AND known = 0
			AND result < ?29 LIMIT 1), ?30)`
	// regroup does the same for an action that is to be due.
	regroup = `UPDATE action SET known = coalesce((SELECT o.known FROM action AS o INDEXED BY action_kind WHERE o.shard = action.shard
			AND o.account = action.account AND o.peer = action.peer AND o.state = 'due' AND o.known < 2 LIMIT 1),
		(SELECT 1 FROM action AS o INDEXED BY action_met WHERE ` + isMet + ` AND o.result < ?4 LIMIT 1), known)
		WHERE shard = ?1 AND account = ?2 AND key = ?3 AND known < 2`
	// isMet holds for the first messages that have arrived in the conversation of an action.
	isMet = `o.shard = action.shard AND o.account = action.account AND o.peer = action.peer AND o.state = 'done' AND o.verb = 'message' AND o.known = 0`
	// markBehind is a mark of a message that is done behind the first one of its conversation, which stands for it among what was met.
	markBehind = changeAction + `, known = 1` + oneAction
	// regroupAll does the same for all due actions of an account.
	regroupAll = `UPDATE action INDEXED BY action_first SET known = 1 WHERE shard = ? AND account = ? AND state = 'due' AND known <> 1 AND known = 0
		AND EXISTS (SELECT 1 FROM action AS o INDEXED BY action_kind WHERE o.shard = action.shard AND o.account = action.account AND o.peer = action.peer
			AND o.state = 'due' AND o.known < 2 AND o.known = 1)`
)

// knowing is what is stored of whether a conversation is known.
type knowing struct{ speak, speaks, regroup, regroupAll, behind statement }

func (k *knowing) statementTexts() map[*statement]string {
	return map[*statement]string{
		&k.speak: insertAction + isKnown + `, ?28) ON CONFLICT DO NOTHING`, &k.speaks: insertAction + `?29, ?28) ON CONFLICT DO NOTHING`,
		&k.regroup: regroup, &k.regroupAll: regroupAll, &k.behind: markBehind,
	}
}

// insert begins the statement that stores an action.
func (a *applier) insert(x *event.Action) *statement {
	switch {
	case !x.Verb.Makes():
		return &a.action
	case x.State == event.StateDue:
		return &a.speak
	default:
		return &a.speaks
	}
}

// endKnown ends that statement.
func (s *statement) endKnown(x *event.Action) *statement {
	if !x.Verb.Makes() {
		return s
	}
	if x.State == event.StateDue {
		s.int(askedAt(x.Key))
	}
	return s.bool(x.Peer == 0) // it is nobody's first contact
}

// askedAt returns the id of the message that an action answers, by its key; above all ids for what answers none.
func askedAt(key string) int64 {
	asked := int64(math.MaxInt64)
	trigger, _, _ := strings.Cut(key, "/")
	if id, err := event.ParseID(trigger); err == nil && id.Source == event.Messages {
		asked = id.Number //mutate:known-before
	}
	return asked
}

// firstMessage is the message by which a conversation became known: its action, and its id.
type firstMessage struct {
	action string
	id     int64
}

// mostFirst is of how many conversations the first message is remembered. Of the others a further message has a place among what was met, too.
const mostFirst = 20_000

// arrivedStatement returns the statement that stores that a message has arrived: the first one of its conversation stands for those behind it.
func (a *applier) arrivedStatement(m *outbox.Mark) *statement {
	of := event.Key{Account: m.Account, Peer: m.Peer}
	first, ok := a.first[of]
	switch {
	case ok && first.id <= m.Result && first.action != m.Key: //mutate:known-first
		return &a.behind
	case ok && first.id <= m.Result: // it is the first one, once more
		return &a.mark
	case len(a.first) >= mostFirst:
		clear(a.first)
	}
	a.first[of] = firstMessage{m.Key, m.Result}
	return &a.mark
}
