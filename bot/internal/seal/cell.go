package seal

import (
	"encoding/binary"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// Column is a column with sealed values. Its number is bound to them: it never changes.
type Column byte

// The columns with sealed values.
const (
	EventText          Column = 1
	EventImage         Column = 2
	EventNote          Column = 3
	EventBefore        Column = 4
	TurnNote           Column = 5
	TurnBefore         Column = 6
	ConversationValues Column = 7
	ActionText         Column = 8 // of strays, too
	TimerData          Column = 9
	TimerNote          Column = 10
	FactValue          Column = 11
	EntryText          Column = 12
	EntryData          Column = 13
	NoticeText         Column = 14
	RequestText        Column = 15
	SessionTokens      Column = 16
	NoticeDetails      Column = 17
	ApprovalEffects    Column = 18
	AccountValue       Column = 19
	AccountSignIn      Column = 20
	AccountWhy         Column = 21
	PersonKey          Column = 22
)

// EmptyBody is the body of a conversation that says nothing: it is never sealed.
const EmptyBody = "{}"

// Cell is where a value stands. It is bound to what is sealed, so that a value that is copied to another row or
// column does not open there.
type Cell struct {
	Column  Column
	Account event.Account
	id      string
	a, b    int64
}

func (c Cell) append(b []byte) []byte {
	b = append(b, byte(c.Column))
	b = append(b, c.Account...)
	// Names end with a zero: without it, the account "a" with the id "bc" and "ab" with "c" would be one cell.
	b = append(b, 0)
	b = append(b, c.id...)
	b = append(b, 0)
	b = binary.BigEndian.AppendUint64(b, uint64(c.a))
	return binary.BigEndian.AppendUint64(b, uint64(c.b))
}

// closedText stands for a value that does not open.
func (c Cell) closedText() string {
	switch c.Column {
	case EventBefore, TurnBefore:
		return ""
	// What is decoded must still decode, or one sealed value would keep the whole row from being read.
	case ConversationValues:
		return `{"values":{"` + ClosedText + `":"` + ClosedText + `"}}`
	case ApprovalEffects:
		return `{}`
	case TimerData, FactValue, EntryData, AccountValue:
		return `"` + ClosedText + `"`
	case NoticeDetails:
		return `{"said":"` + ClosedText + `"}`
	default:
		return ClosedText
	}
}

// OfEvent is the cell in the row of an event.
func (c Column) OfEvent(account event.Account, id event.ID) Cell {
	return Cell{Column: c, Account: account, a: int64(id.Source), b: id.Number}
}

// OfConversation is the cell in the row of a conversation.
func (c Column) OfConversation(key event.Key) Cell {
	return Cell{Column: c, Account: key.Account, a: int64(key.Peer)}
}

// CellOf is the cell in a row that an id finds: of a turn, an action, a notice.
func (c Column) CellOf(account event.Account, id string) Cell {
	return Cell{Column: c, Account: account, id: id}
}

// OfTimer is the cell in the row of a timer.
func (c Column) OfTimer(key event.Key, name string) Cell {
	return Cell{Column: c, Account: key.Account, id: name, a: int64(key.Peer)}
}

// CellWithin is the cell in a row that a name finds in a list or among what belongs to a trigger.
func (c Column) CellWithin(account event.Account, list, name string) Cell {
	return Cell{Column: c, Account: account, id: list + "\x00" + name}
}

// OfRequest is the cell of a request. It is bound to when it was asked, since its number is not known before it is stored.
func (c Column) OfRequest(q *event.Request) Cell {
	return Cell{Column: c, Account: q.Key.Account, b: bind.ToMicros(q.AskedAt)}
}

// OfStray is the cell of the text of an action that a stray keeps; its id is the key of the action, and when it left.
func OfStray(account event.Account, id string) Cell {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == ' ' {
			return ActionText.CellOf(account, id[:i])
		}
	}
	return ActionText.CellOf(account, id)
}

// OfMark is the cell of a held action's text.
func OfMark(m *outbox.Mark) Cell { return ActionText.CellOf(m.Account, m.Key) }
