package store

import (
	"math"

	"github.com/nectar-bot/nectar/bot/event"
)

// Among what may leave, conversations in which the bot has spoken before go before first contacts. That is decided when an action is stored, in
// the column known: the store alone has what arrived by then. Within a conversation it changes nothing: all of it that is due is of one kind.

const insertAction = `INSERT INTO action VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, `

const (
	// isKnown is as what else is due of the conversation; if nothing is, 1 where a message had arrived below an id. It ends with what it is else.
	isKnown = `coalesce((SELECT known FROM action INDEXED BY action_kind WHERE shard = ?1 AND account = ?2 AND peer = ?4 AND state = 'due'
			AND known < 2 LIMIT 1),
		(SELECT 1 FROM action INDEXED BY action_met WHERE shard = ?1 AND account = ?2 AND peer = ?4 AND state = 'done' AND verb = 'message' AND known = 0
			AND result < ?29 LIMIT 1), ?30)`
	// regroup makes an action that is to be due of the kind of what is due of its conversation.
	regroup = `UPDATE action SET known = coalesce((SELECT o.known FROM action AS o INDEXED BY action_kind WHERE o.shard = action.shard
			AND o.account = action.account AND o.peer = action.peer AND o.state = 'due' AND o.known < 2 LIMIT 1), known)
		WHERE shard = ? AND account = ? AND key = ? AND known < 2`
	// regroupAll does so for all of an account that are due.
	regroupAll = `UPDATE action INDEXED BY action_first SET known = 1 WHERE shard = ? AND account = ? AND state = 'due' AND known <> 1 AND known = 0
		AND EXISTS (SELECT 1 FROM action AS o INDEXED BY action_kind WHERE o.shard = action.shard AND o.account = action.account AND o.peer = action.peer
			AND o.state = 'due' AND o.known < 2 AND o.known = 1)`
)

// insert begins the statement that stores an action.
func (a *applier) insert(x *event.Action) *statement {
	if x.Verb.Makes() {
		return &a.speak
	}
	return &a.action
}

// known ends that statement, for what a trigger has started.
func (st *statement) known(t *event.Trigger, x *event.Action) *statement {
	if !x.Verb.Makes() {
		return st
	}
	before, own := int64(math.MaxInt64), int64(0)
	if t.Kind == event.ByEvent && t.Event.ID.Source == event.Messages {
		before = t.Event.ID.Number //mutate:known-before
	}
	if x.Peer == 0 { // it is nobody's first contact
		own = 1
	}
	return st.int(before).int(own)
}
