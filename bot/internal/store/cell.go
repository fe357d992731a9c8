package store

import (
	"encoding/binary"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// column is one whose values are sealed. Its number is bound to them: it never changes.
type column byte

const (
	eventText          column = 1
	eventImage         column = 2
	eventNote          column = 3
	eventBefore        column = 4
	turnNote           column = 5
	turnBefore         column = 6
	conversationValues column = 7
	actionText         column = 8 // of strays, too
	timerData          column = 9
	timerNote          column = 10
	factValue          column = 11
	entryText          column = 12
	entryData          column = 13
	noticeText         column = 14
	requestText        column = 15
	sessionTokens      column = 16
	noticeDetails      column = 17
	approvalEffects    column = 18
	accountValue       column = 19
	accountSignIn      column = 20
	accountWhy         column = 21
	personKey          column = 22
)

// cell is where a value stands. It is bound to what is sealed, so that a value that is copied to another row or
// column does not open there.
type cell struct {
	column  column
	account event.Account
	id      string
	a, b    int64
}

func (p cell) append(b []byte) []byte {
	b = append(b, byte(p.column))
	b = append(b, p.account...)
	b = append(b, 0)
	b = append(b, p.id...)
	b = append(b, 0)
	b = binary.BigEndian.AppendUint64(b, uint64(p.a))
	return binary.BigEndian.AppendUint64(b, uint64(p.b))
}

// closed stands for a value that does not open.
func (p cell) closed() string {
	switch p.column {
	case eventBefore, turnBefore:
		return ""
	case conversationValues:
		return `{"values":{"` + closedText + `":"` + closedText + `"}}`
	case approvalEffects:
		return `{}`
	case timerData, factValue, entryData, accountValue:
		return `"` + closedText + `"`
	case noticeDetails:
		return `{"said":"` + closedText + `"}`
	default:
		return closedText
	}
}

func (c column) ofEvent(account event.Account, id event.ID) cell {
	return cell{column: c, account: account, a: int64(id.Source), b: id.Number}
}

func (c column) ofConversation(key event.Key) cell {
	return cell{column: c, account: key.Account, a: int64(key.Peer)}
}

// of is the cell in a row that an id finds: of a turn, an action, a notice.
func (c column) of(account event.Account, id string) cell {
	return cell{column: c, account: account, id: id}
}

func (c column) ofTimer(key event.Key, name string) cell {
	return cell{column: c, account: key.Account, id: name, a: int64(key.Peer)}
}

// within is the cell in a row that a name finds in a list or among what belongs to a trigger.
func (c column) within(account event.Account, list, name string) cell {
	return cell{column: c, account: account, id: list + "\x00" + name}
}

// ofRequest is the cell of a request, whose number is not known before it is stored.
func (c column) ofRequest(q *event.Request) cell {
	return cell{column: c, account: q.Key.Account, b: micros(q.AskedAt)}
}

// ofStray is the cell of the action whose text a stray keeps; its id is the key of the action, and when it left.
func ofStray(account event.Account, id string) cell {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == ' ' {
			return actionText.of(account, id[:i])
		}
	}
	return actionText.of(account, id)
}

// ofMark is the cell of a held action's text.
func ofMark(m *outbox.Mark) cell { return actionText.of(m.Account, m.Key) }
