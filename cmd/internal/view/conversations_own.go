package view

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// errOwn is what a command about a person says of the account's own conversation.
var errOwn = errors.New("\"account\" is nobody: it is the account's own conversation, which nectar conversations show account shows; a person of that name is written @account")

// isOwn reports whether a text means the account's own conversation.
func isOwn(text string) bool { return text == print.OwnName || text == "0" }

// OwnKey names the own conversation of the account that the command is about.
func (v *View) OwnKey() (event.Key, error) {
	if len(v.Meant) != 1 {
		return event.Key{}, fmt.Errorf("each account has a conversation of its own: say which one, with --account NAME; there %s", TheseAre(v.Meant))
	}
	return event.Own(v.Meant[0]), nil
}

// ownMoments returns the last things that the account did by itself, in the order of time.
func (v *View) ownMoments(ctx context.Context, account event.Account, limit int) ([]moment, error) {
	turns, err := v.OwnTurns(ctx, account, limit)
	if err != nil {
		return nil, err
	}
	var all []moment
	for _, r := range slices.Backward(turns) {
		all = append(all, moment{at: r.Turn.HandledAt, turn: r.Turn, cause: causeText(&r)})
		deeds, err := v.readDeeds(ctx, r.Actions)
		if err != nil {
			return nil, err
		}
		for i := range deeds {
			m := moment{at: deeds[i].DecidedAt, action: &deeds[i]}
			if deeds[i].State == event.StateDone && deeds[i].EndedAt.After(m.at) {
				m.at = deeds[i].EndedAt
			}
			all = append(all, m)
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	return all[max(0, len(all)-limit):], nil
}

// causeText says what began a turn of the account's own conversation.
func causeText(r *record.Recorded) string {
	id := r.Trigger()
	if t, err := event.ParseTimer(id); err == nil {
		return "timer " + print.QuotePlain(t.Name, 40)
	}
	if nudge, ok := strings.CutPrefix(id, "nudge:"); ok {
		return "nudge " + print.QuotePlain(beforeSlash(nudge), 40)
	}
	if told, ok := ToldOf(r.Facts); ok {
		return "asked for " + AsksFor(&told, 40)
	}
	return "decided"
}

// ToldOf returns what a person asked of the program, if the facts of a turn say so.
func ToldOf(facts []event.Fact) (told event.Told, ok bool) {
	i := slices.IndexFunc(facts, func(f event.Fact) bool { return f.Name == "told" })
	return told, i >= 0 && json.Unmarshal(facts[i].Value, &told) == nil && told.Subject != ""
}

// AsksFor says what a person asked of the program.
func AsksFor(told *event.Told, n int) string {
	if told.Text == "" {
		return print.PlainText(told.Subject, 80)
	}
	return print.PlainText(told.Subject, 80) + " " + print.QuotePlain(told.Text, n)
}

// ownRow is the row of a turn of the account's own conversation.
func ownRow(m *moment) []string {
	x := m.turn
	return []string{print.TimeText(m.at), "  " + cmp.Or(print.PlainText(x.Record.By, 24), print.OwnName), m.cause, print.PlainText(x.Record.Outcome, 20), print.PlainText(x.Record.Rule, 32), print.PlainText(x.ID, 0), print.PlainText(x.Record.Note, 100)}
}
