package seal

import (
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/platform"
)

// Table is a table with columns of sealed values.
type Table struct {
	Name   string
	Key    []string // its columns behind shard and account
	Also   string   // another column that tells where a value stands
	Values []string
	Cells  func(account event.Account, key []any, also int64) []Cell // of values
}

// Tables are all of them.
var Tables = []Table{
	{"session", nil, "", []string{"sealed"}, func(a event.Account, _ []any, _ int64) []Cell {
		return []Cell{SessionTokens.CellOf(a, "")}
	}},
	{"event", []string{"source", "number"}, "", []string{"text", "image", "note", "before"}, func(a event.Account, k []any, _ int64) []Cell {
		id := event.ID{Source: event.Source(bind.NumberOf(k[0])), Number: bind.NumberOf(k[1])}
		return []Cell{EventText.OfEvent(a, id), EventImage.OfEvent(a, id), EventNote.OfEvent(a, id), EventBefore.OfEvent(a, id)}
	}},
	{"turn", []string{"id"}, "", []string{"note", "before"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{TurnNote.CellOf(a, bind.WordOf(k[0])), TurnBefore.CellOf(a, bind.WordOf(k[0]))}
	}},
	{"conversation", []string{"peer"}, "", []string{"body"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{ConversationValues.OfConversation(event.Key{Account: a, Peer: platform.UserID(bind.NumberOf(k[0]))})}
	}},
	{"action", []string{"key"}, "", []string{"text"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{ActionText.CellOf(a, bind.WordOf(k[0]))}
	}},
	{"approval", []string{"key"}, "", []string{"effects"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{ApprovalEffects.CellOf(a, bind.WordOf(k[0]))}
	}},
	{"stray", []string{"id"}, "", []string{"text"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{OfStray(a, bind.WordOf(k[0]))}
	}},
	{"timer", []string{"peer", "name"}, "", []string{"data", "note"}, func(a event.Account, k []any, _ int64) []Cell {
		key := event.Key{Account: a, Peer: platform.UserID(bind.NumberOf(k[0]))}
		return []Cell{TimerData.OfTimer(key, bind.WordOf(k[1])), TimerNote.OfTimer(key, bind.WordOf(k[1]))}
	}},
	{"fact", []string{"trigger_id", "name"}, "", []string{"value"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{FactValue.CellWithin(a, bind.WordOf(k[0]), bind.WordOf(k[1]))}
	}},
	{"entry", []string{"list", "key"}, "", []string{"text", "data"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{EntryText.CellWithin(a, bind.WordOf(k[0]), bind.WordOf(k[1])), EntryData.CellWithin(a, bind.WordOf(k[0]), bind.WordOf(k[1]))}
	}},
	{"account_value", []string{"plugin", "name"}, "", []string{"value"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{AccountValue.CellWithin(a, bind.WordOf(k[0]), bind.WordOf(k[1]))}
	}},
	{"notice", []string{"id"}, "", []string{"text", "details"}, func(a event.Account, k []any, _ int64) []Cell {
		return []Cell{NoticeText.CellOf(a, bind.WordOf(k[0])), NoticeDetails.CellOf(a, bind.WordOf(k[0]))}
	}},
	{"request", []string{"number"}, "asked_at", []string{"text"}, func(a event.Account, _ []any, at int64) []Cell {
		return []Cell{RequestText.OfRequest(&event.Request{Key: event.Key{Account: a}, AskedAt: bind.FromMicros(at)})}
	}},
}

// AccountTable is sealed on a server alone.
var AccountTable = Table{"account", nil, "", []string{"sealed", "why"}, func(a event.Account, _ []any, _ int64) []Cell {
	return []Cell{AccountSignIn.CellOf(a, ""), AccountWhy.CellOf(a, "")}
}}

// Keys returns the columns of the key.
func (t *Table) Keys() []string { return append([]string{"shard", "account"}, t.Key...) }

// NextStatement reads rows behind a key.
func (t *Table) NextStatement() string {
	key := t.Keys()
	also := t.Also
	if also == "" {
		also = "0"
	}
	marks := strings.Repeat("?, ", len(key)-1) + "?"
	return `SELECT ` + strings.Join(key, ", ") + `, ` + also + `, ` + strings.Join(t.Values, ", ") + ` FROM "` + t.Name + `" WHERE (` +
		strings.Join(key, ", ") + `) > (` + marks + `) ORDER BY ` + strings.Join(key, ", ") + ` LIMIT ? + 0`
}

// ChangeStatement replaces the values of a row that are still what they were. The source is written as ? + 0: it is in the
// condition of an index, so that SQLite would look at a bare parameter, and plan the statement anew for each row.
func (t *Table) ChangeStatement() string {
	key := t.Keys()
	return `UPDATE "` + t.Name + `" SET ` + strings.Join(t.Values, " = ?, ") + ` = ? WHERE ` + strings.Replace(strings.Join(key, " = ? AND ")+` = ? AND `, "source = ?", "source = ? + 0", 1) +
		strings.Join(t.Values, " = ? AND ") + ` = ?`
}
