package store

import (
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// sealedTable is a table with columns whose values are sealed.
type sealedTable struct {
	name   string
	key    []string // its columns behind shard and account
	also   string   // another column that tells where a value stands
	values []string
	cells  func(account event.Account, key []any, also int64) []cell // of values
}

// sealedTables are all of them.
var sealedTables = []sealedTable{
	{"session", nil, "", []string{"sealed"}, func(a event.Account, _ []any, _ int64) []cell {
		return []cell{sessionTokens.of(a, "")}
	}},
	{"event", []string{"source", "number"}, "", []string{"text", "image", "note", "before"}, func(a event.Account, k []any, _ int64) []cell {
		id := event.ID{Source: event.Source(number(k[0])), Number: number(k[1])}
		return []cell{eventText.ofEvent(a, id), eventImage.ofEvent(a, id), eventNote.ofEvent(a, id), eventBefore.ofEvent(a, id)}
	}},
	{"turn", []string{"id"}, "", []string{"note", "before"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{turnNote.of(a, word(k[0])), turnBefore.of(a, word(k[0]))}
	}},
	{"conversation", []string{"peer"}, "", []string{"body"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{conversationValues.ofConversation(event.Key{Account: a, Peer: platform.UserID(number(k[0]))})}
	}},
	{"action", []string{"key"}, "", []string{"text"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{actionText.of(a, word(k[0]))}
	}},
	{"approval", []string{"key"}, "", []string{"effects"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{approvalEffects.of(a, word(k[0]))}
	}},
	{"stray", []string{"id"}, "", []string{"text"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{ofStray(a, word(k[0]))}
	}},
	{"timer", []string{"peer", "name"}, "", []string{"data", "note"}, func(a event.Account, k []any, _ int64) []cell {
		key := event.Key{Account: a, Peer: platform.UserID(number(k[0]))}
		return []cell{timerData.ofTimer(key, word(k[1])), timerNote.ofTimer(key, word(k[1]))}
	}},
	{"fact", []string{"trigger_id", "name"}, "", []string{"value"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{factValue.within(a, word(k[0]), word(k[1]))}
	}},
	{"entry", []string{"list", "key"}, "", []string{"text", "data"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{entryText.within(a, word(k[0]), word(k[1])), entryData.within(a, word(k[0]), word(k[1]))}
	}},
	{"account_value", []string{"plugin", "name"}, "", []string{"value"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{accountValue.within(a, word(k[0]), word(k[1]))}
	}},
	{"notice", []string{"id"}, "", []string{"text", "details"}, func(a event.Account, k []any, _ int64) []cell {
		return []cell{noticeText.of(a, word(k[0])), noticeDetails.of(a, word(k[0]))}
	}},
	{"request", []string{"number"}, "asked_at", []string{"text"}, func(a event.Account, _ []any, at int64) []cell {
		return []cell{requestText.ofRequest(&event.Request{Key: event.Key{Account: a}, AskedAt: moment(at)})}
	}},
}

func number(v any) int64 {
	n, _ := v.(int64)
	return n
}

func word(v any) string {
	w, _ := v.(string)
	return w
}

// next reads rows behind a key.
func (t *sealedTable) next() string {
	key := append([]string{"shard", "account"}, t.key...)
	also := t.also
	if also == "" {
		also = "0"
	}
	marks := strings.Repeat("?, ", len(key)-1) + "?"
	return `SELECT ` + strings.Join(key, ", ") + `, ` + also + `, ` + strings.Join(t.values, ", ") + ` FROM "` + t.name + `" WHERE (` +
		strings.Join(key, ", ") + `) > (` + marks + `) ORDER BY ` + strings.Join(key, ", ") + ` LIMIT ? + 0`
}

// change replaces the values of a row that are still what they were. The source is written as ? + 0: it is in the
// condition of an index, so that SQLite would look at a bare parameter, and plan the statement anew for each row.
func (t *sealedTable) change() string {
	key := append([]string{"shard", "account"}, t.key...)
	return `UPDATE "` + t.name + `" SET ` + strings.Join(t.values, " = ?, ") + ` = ? WHERE ` + strings.Replace(strings.Join(key, " = ? AND ")+` = ? AND `, "source = ?", "source = ? + 0", 1) +
		strings.Join(t.values, " = ? AND ") + ` = ?`
}
