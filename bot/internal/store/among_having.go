package store

import (
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/record"
)

// What an account may have that people ask about. What few accounts have is found by an index of that alone, and the rest by
// a look at each account's key.
var (
	leapAccounts = leapingStatement(`FROM cursor WHERE 1 = 1`) // accounts that have been polled
	leapActions  = leapingStatement(`FROM action INDEXED BY action_open ` + whereOpen + ` AND state = $1`)
	leapDue      = leapingStatement(`FROM action INDEXED BY action_due WHERE state = 'due'`)
	leapTimers   = leapingStatement(`FROM timer INDEXED BY timer_aside WHERE state <> 'waiting' AND state = $1`)
	leapOwned    = leapingStatement(`FROM conversation INDEXED BY conversation_owned WHERE owner <> '' AND ($1 = '' OR owner = $1)`)
	leapEntries  = leapingStatement(`FROM entry WHERE 1 = 1`)
	leapIgnored  = leapingStatement(`FROM ignored WHERE 1 = 1`)

	lookEvent  = lookingStatement(`FROM event WHERE ` + ofGiven + ` AND source = $2 AND number = $3`)
	lookSource = lookingStatement(`FROM event WHERE ` + ofGiven + ` AND source = $2`)
	lookAction = lookingStatement(`FROM action WHERE ` + ofGiven + ` AND key = $2`)
	lookTurn   = lookingStatement(
		`FROM action WHERE `+ofGiven+` AND key = $2`,
		`FROM named WHERE `+ofGiven+` AND key = $2`,
		`FROM turn WHERE `+ofGiven+` AND id IN (SELECT value FROM json_each($3))`,
		`FROM timer WHERE `+ofGiven+` AND peer = $4 AND $5 > 0`,
	)
	lookTimer = lookingStatement(`FROM timer WHERE ` + ofGiven + ` AND peer = $2 AND name = $3`)
	lookNamed = lookingStatement(
		`FROM conversation INDEXED BY conversation_user WHERE username <> '' AND `+ofGiven+` AND username = $2 COLLATE NOCASE`,
		`FROM event INDEXED BY event_open WHERE state <> 'handled' AND `+ofGiven+` AND username = $2 COLLATE NOCASE`,
	)
	lookPeer = lookingStatement(
		`FROM conversation WHERE `+ofGiven+` AND peer = $2`,
		`FROM event INDEXED BY event_peer WHERE `+ofGiven+` AND peer = $2`,
		`FROM action WHERE `+ofGiven+` AND key >= $3 || '/' AND key < $3 || '0'`,
		`FROM named INDEXED BY named_trigger WHERE `+ofGiven+` AND trigger_id >= $3 || '/' AND trigger_id < $3 || '0'`,
	)
	lookEntriesOn = lookingStatement(`FROM entry WHERE ` + ofGiven + ` AND list = $2`)
	lookEntry     = lookingStatement(`FROM entry WHERE ` + ofGiven + ` AND list = $2 AND key = $3`)
	lookValues    = lookingStatement(`FROM account_value WHERE ` + ofGiven + ` AND plugin = $2`)

	// They look at all that the accounts have, for somebody who asks now and then.
	lookHandled = lookingStatement(
		`FROM event WHERE `+ofGiven+` AND state = 'handled' AND handled_at >= $2`,
		`FROM turn WHERE `+ofGiven+` AND handled_at >= $2`,
	)
	lookSeen = lookingStatement(`FROM event WHERE ` + ofGiven + ` AND username = $2 COLLATE NOCASE`)
	lookKept = lookingStatement(
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

// survey is what a Having is in a statement.
type survey struct {
	text  string
	given bool // it is looked for account by account: the first parameter is which
	args  []any
}

// surveyOf returns the statement that finds the accounts which have something.
func surveyOf(h record.Having) survey {
	switch h.Thing {
	case record.HasActions:
		if event.State(h.State) == event.StateDue {
			return survey{text: leapDue}
		}
		return survey{text: leapActions, args: []any{h.State}}
	case record.HasTimersIn:
		return survey{text: leapTimers, args: []any{h.State}}
	case record.HasOwned:
		return survey{text: leapOwned, args: []any{h.Text}}
	case record.HasEntries:
		return survey{text: leapEntries}
	case record.HasIgnored:
		return survey{text: leapIgnored}
	case record.HasTurn:
		return surveyOfTurn(h.Text)
	default:
		text, args := lookStatement(h)
		return survey{text, true, args}
	}
}

// lookStatement returns the statement that looks at the accounts it is given, and its other parameters.
func lookStatement(h record.Having) (text string, args []any) {
	peer := int64(h.Peer)
	switch h.Thing {
	case record.HasEvent:
		return lookEvent, []any{int64(h.Event.Source), h.Event.Number}
	case record.HasEventsOf:
		return lookSource, []any{int64(h.Source)}
	case record.HasAction:
		return lookAction, []any{h.Text}
	case record.HasTimer:
		return lookTimer, []any{peer, h.Text}
	case record.HasNamed:
		return lookNamed, []any{h.Text}
	case record.HasPeer:
		return lookPeer, []any{peer, fmt.Sprintf("timer:%d", peer)}
	case record.HasSeen:
		return lookSeen, []any{h.Text}
	case record.HasAnythingOf:
		return lookKept, []any{peer, fmt.Sprintf("peer:%d", peer), fmt.Sprintf("timer:%d", peer)}
	case record.HasEntriesOn:
		return lookEntriesOn, []any{h.List}
	case record.HasEntry:
		return lookEntry, []any{h.List, h.Text}
	case record.HasValues:
		return lookValues, []any{h.Text}
	case record.HasHandled:
		return lookHandled, []any{bind.ToMicros(h.Since)}
	default:
		panic(fmt.Sprintf("nobody asks for accounts that have %d", h.Thing))
	}
}

// surveyOfTurn looks for what a turn's id is, or begins with up to a slash.
func surveyOfTurn(id string) survey {
	names := bind.Words{id}
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
	return survey{lookTurn, true, []any{id, names, peer, timer}}
}
