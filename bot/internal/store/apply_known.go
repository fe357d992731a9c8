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

const (
	// knownNow is the value of known for a new action that is due: as what else is due of the conversation; if nothing is, 1 where a message had arrived
	// below an id; else the last parameter.
	knownNow = `coalesce((SELECT known FROM action INDEXED BY action_kind WHERE shard = ? AND account = ? AND peer = ? AND state = 'due' AND known < 2 LIMIT 1),
		(SELECT 1 FROM action INDEXED BY action_met WHERE shard = ? AND account = ? AND peer = ? AND state = 'done' AND verb = 'message' AND known = 0
			AND result < ? LIMIT 1), ?)`
	// regroup does the same for an action that is to be due.
	regroup = `UPDATE action SET known = coalesce((SELECT o.known FROM action AS o INDEXED BY action_kind WHERE o.shard = action.shard
			AND o.account = action.account AND o.peer = action.peer AND o.state = 'due' AND o.known < 2 LIMIT 1),
		(SELECT 1 FROM action AS o INDEXED BY action_met WHERE ` + isMet + ` AND o.result < ? LIMIT 1), known)
		WHERE shard = ? AND account = ? AND key = ? AND known < 2`
	// isMet holds for the first messages that have arrived in the conversation of an action.
	isMet = `o.shard = action.shard AND o.account = action.account AND o.peer = action.peer AND o.state = 'done' AND o.verb = 'message' AND o.known = 0`
	// markBehind is a mark of a message that is done behind the first one of its conversation, which stands for it among what was met.
	markBehind = changeAction + `, known = 1` + oneAction
	// regroupAll does the same for all due actions of an account.
	regroupAll = `UPDATE action INDEXED BY action_first SET known = 1 WHERE shard = ? AND account = ? AND state = 'due' AND known <> 1 AND known = 0
		AND EXISTS (SELECT 1 FROM action AS o INDEXED BY action_kind WHERE o.shard = action.shard AND o.account = action.account AND o.peer = action.peer
			AND o.state = 'due' AND o.known < 2 AND o.known = 1)`
)

// What the column known says of an action.
const (
	firstContact = 0
	isKnown      = 1
	saysNothing  = 2 // it is no message and no post
)

// knowing is what is stored of whether a conversation is known.
type knowing struct{ speak, regroup, regroupAll, behind statement }

func (k *knowing) statementTexts() map[*statement]string {
	return map[*statement]string{&k.speak: insertAction + knownNow + onlyNew, &k.regroup: regroup, &k.regroupAll: regroupAll, &k.behind: markBehind}
}

// knownBefore is what is known of an action before it is due.
func knownBefore(x *event.Action) int64 {
	switch {
	case !x.Verb.Makes():
		return saysNothing
	case x.Peer == 0: // it is nobody's first contact
		return isKnown
	default:
		return firstContact
	}
}

// regroupAction finds out of an action that is to be due whether its conversation is known.
func (a *applier) regroupAction(account event.Account, key string) error {
	return a.regroup.int(askedAt(key)).key(account).str(key).do()
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
