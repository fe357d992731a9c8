package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// What an account may have that people ask about. What few accounts have is found by an index of that alone, and the rest by
// a look at each account's key.
var (
	leapActions = leaping(`FROM action INDEXED BY action_open ` + whereOpen + ` AND state = $1`)
	leapDue     = leaping(`FROM action INDEXED BY action_due WHERE state = 'due'`)
	leapTimers  = leaping(`FROM timer INDEXED BY timer_aside WHERE state <> 'waiting' AND state = $1`)
	leapOwned   = leaping(`FROM conversation INDEXED BY conversation_owned WHERE owner <> '' AND ($1 = '' OR owner = $1)`)
	leapEntries = leaping(`FROM entry WHERE 1 = 1`)
	leapIgnored = leaping(`FROM ignored WHERE 1 = 1`)

	lookEvent  = looking(`FROM event WHERE ` + ofGiven + ` AND source = $2 AND number = $3`)
	lookSource = looking(`FROM event WHERE ` + ofGiven + ` AND source = $2`)
	lookAction = looking(`FROM action WHERE ` + ofGiven + ` AND key = $2`)
	lookTurn   = looking(
		`FROM action WHERE `+ofGiven+` AND key = $2`,
		`FROM named WHERE `+ofGiven+` AND key = $2`,
		`FROM turn WHERE `+ofGiven+` AND id IN (SELECT value FROM json_each($3))`,
		`FROM timer WHERE `+ofGiven+` AND peer = $4 AND $5 > 0`,
	)
	lookTimer = looking(`FROM timer WHERE ` + ofGiven + ` AND peer = $2 AND name = $3`)
	lookNamed = looking(
		`FROM conversation INDEXED BY conversation_user WHERE username <> '' AND `+ofGiven+` AND username = $2 COLLATE NOCASE`,
		`FROM event INDEXED BY event_open WHERE state <> 'handled' AND `+ofGiven+` AND username = $2 COLLATE NOCASE`,
	)
	lookPeer = looking(
		`FROM conversation WHERE `+ofGiven+` AND peer = $2`,
		`FROM event INDEXED BY event_peer WHERE `+ofGiven+` AND peer = $2`,
		`FROM action WHERE `+ofGiven+` AND key >= $3 || '/' AND key < $3 || '0'`,
		`FROM named INDEXED BY named_trigger WHERE `+ofGiven+` AND trigger_id >= $3 || '/' AND trigger_id < $3 || '0'`,
	)
	lookEntriesOn = looking(`FROM entry WHERE ` + ofGiven + ` AND list = $2`)
	lookEntry     = looking(`FROM entry WHERE ` + ofGiven + ` AND list = $2 AND key = $3`)
	lookValues    = looking(`FROM account_value WHERE ` + ofGiven + ` AND plugin = $2`)

	// They look at all that the accounts have, for somebody who asks now and then.
	lookHandled = looking(
		`FROM event WHERE `+ofGiven+` AND state = 'handled' AND handled_at >= $2`,
		`FROM turn WHERE `+ofGiven+` AND handled_at >= $2`,
	)
	lookSeen = looking(`FROM event WHERE ` + ofGiven + ` AND username = $2 COLLATE NOCASE`)
	lookKept = looking(
		`FROM event INDEXED BY event_peer WHERE `+ofGiven+` AND peer = $2`,
		`FROM conversation WHERE `+ofGiven+` AND peer = $2`,
		`FROM timer WHERE `+ofGiven+` AND peer = $2`,
		`FROM ignored WHERE `+ofGiven+` AND peer = $2`,
		`FROM turn WHERE `+ofGiven+` AND peer = $2`,
		`FROM action WHERE `+ofGiven+` AND peer = $2`,
		`FROM entry WHERE `+ofGiven+` AND peer = $2`,
		`FROM notice WHERE `+ofGiven+` AND peer = $2`,
		`FROM stray WHERE `+ofGiven+` AND peer = $2`,
		`FROM request WHERE `+ofGiven+` AND peer = $2`,
		`FROM claim WHERE `+ofGiven+` AND (scope = $3 OR scope >= $3 || '/' AND scope < $3 || '0' OR action >= $4 || '/' AND action < $4 || '0')`,
		`FROM fact WHERE `+ofGiven+` AND trigger_id >= $4 || '/' AND trigger_id < $4 || '0'`,
		`FROM fact WHERE `+ofGiven+` AND trigger_id = '`+Tried+`' AND name >= $4 || '/' AND name < $4 || '0'`,
	)
)

// HavingEvent is to have an event.
func HavingEvent(id event.ID) Having {
	return Having{lookEvent, true, []any{int64(id.Source), id.Number}}
}

// HavingEventsOf is to have events of a source.
func HavingEventsOf(source event.Source) Having {
	return Having{lookSource, true, []any{int64(source)}}
}

// HavingActions is to have actions in a state that is not an end.
func HavingActions(state event.State) Having {
	if state == event.StateDue {
		return Having{text: leapDue}
	}
	return Having{text: leapActions, args: []any{string(state)}}
}

// HavingAction is to have an action of a key.
func HavingAction(key string) Having { return Having{lookAction, true, []any{key}} }

// HavingTurn is to have an action, or a turn that no event started, of an id, or of what it begins with up to a slash; or a
// timer that has had no turn yet.
func HavingTurn(id string) Having {
	names := words{id}
	for name := id; strings.Contains(name, "/"); {
		name = name[:strings.LastIndexByte(name, '/')]
		names = append(names, name)
	}
	peer, timer := int64(0), 0
	for _, name := range names {
		if t, err := event.ParseTimer(name); err == nil {
			peer, timer = int64(t.Key.Peer), 1
		}
	}
	return Having{lookTurn, true, []any{id, names, peer, timer}}
}

// HavingTimer is to have a timer set.
func HavingTimer(peer platform.UserID, name string) Having {
	return Having{lookTimer, true, []any{int64(peer), name}}
}

// HavingTimersIn is to have timers that are quarantined, or orphaned.
func HavingTimersIn(state string) Having { return Having{text: leapTimers, args: []any{state}} }

// HavingOwned is to have conversations that a person or team has; owner "" means anybody.
func HavingOwned(owner string) Having { return Having{text: leapOwned, args: []any{owner}} }

// HavingNamed is to know somebody by a user name, as PeersNamed does.
func HavingNamed(user string) Having { return Having{lookNamed, true, []any{user}} }

// HavingPeer is to have dealt with a person.
func HavingPeer(peer platform.UserID) Having {
	return Having{lookPeer, true, []any{int64(peer), fmt.Sprintf("timer:%d", peer)}}
}

// HavingSeen is to have an event of somebody with a user name, as PeersSeen finds it.
func HavingSeen(user string) Having { return Having{lookSeen, true, []any{user}} }

// HavingAnythingOf is to keep anything of a person; see Person.
func HavingAnythingOf(peer platform.UserID) Having {
	return Having{lookKept, true, []any{int64(peer), fmt.Sprintf("peer:%d", peer), fmt.Sprintf("timer:%d", peer)}}
}

// HavingEntries is to have entries on lists.
func HavingEntries() Having { return Having{text: leapEntries} }

// HavingEntriesOn is to have entries on a list.
func HavingEntriesOn(list string) Having { return Having{lookEntriesOn, true, []any{list}} }

// HavingEntry is to have an entry of a key on a list.
func HavingEntry(list, key string) Having { return Having{lookEntry, true, []any{list, key}} }

// HavingIgnored is to leave somebody alone.
func HavingIgnored() Having { return Having{text: leapIgnored} }

// HavingValues is to have values that a plugin keeps for the account.
func HavingValues(plugin string) Having { return Having{lookValues, true, []any{plugin}} }

// HavingHandled is to have handled something since a time; see Recorded.
func HavingHandled(since time.Time) Having { return Having{lookHandled, true, []any{micros(since)}} }
