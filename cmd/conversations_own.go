package cmd

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
)

// ownName is what stands for the account's own conversation, which is with nobody.
const ownName = "account"

// errOwn is what a command about a person says of the account's own conversation.
var errOwn = errors.New("\"account\" is nobody: it is the account's own conversation, which nectar conversations show account shows; a person of that name is written @account")

// isOwn tells whether a text means the account's own conversation.
func isOwn(text string) bool { return text == ownName || text == "0" }

// ownKey names the own conversation of the account that the command is about.
func (d *desk) ownKey() (event.Key, error) {
	if len(d.accounts) != 1 {
		return event.Key{}, fmt.Errorf("each account has a conversation of its own: say which one, with --account NAME; there %s", theseAre(d.accounts))
	}
	return event.Own(d.accounts[0]), nil
}

// ownMoments returns the last things that the account did by itself, in the order of time.
func (d *desk) ownMoments(ctx context.Context, account event.Account, limit int) ([]moment, error) {
	turns, err := d.OwnTurns(ctx, account, limit)
	if err != nil {
		return nil, err
	}
	var all []moment
	for _, r := range slices.Backward(turns) {
		all = append(all, moment{at: r.Turn.HandledAt, turn: r.Turn, cause: cause(&r)})
		deeds, err := d.deeds(ctx, r.Actions)
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

// cause says what began a turn of the account's own conversation.
func cause(r *record.Recorded) string {
	id := r.Trigger()
	if t, err := event.ParseTimer(id); err == nil {
		return "timer " + quoted(t.Name, 40)
	}
	if nudge, ok := strings.CutPrefix(id, "nudge:"); ok {
		return "nudge " + quoted(beforeSlash(nudge), 40)
	}
	if told, ok := toldOf(r.Facts); ok {
		return "asked for " + asksFor(&told, 40)
	}
	return "decided"
}

// toldOf returns what a person asked of the program, if the facts of a turn say so.
func toldOf(facts []event.Fact) (told event.Told, ok bool) {
	i := slices.IndexFunc(facts, func(f event.Fact) bool { return f.Name == "told" })
	return told, i >= 0 && json.Unmarshal(facts[i].Value, &told) == nil && told.Subject != ""
}

// asksFor says what a person asked of the program.
func asksFor(told *event.Told, n int) string {
	if told.Text == "" {
		return plain(told.Subject, 80)
	}
	return plain(told.Subject, 80) + " " + quoted(told.Text, n)
}

// ownRow is the row of a turn of the account's own conversation.
func ownRow(m *moment) []string {
	x := m.turn
	return []string{when(m.at), "  " + cmp.Or(plain(x.Trace.By, 24), ownName), m.cause, plain(x.Trace.Outcome, 20), plain(x.Trace.Rule, 32), plain(x.ID, 0), plain(x.Trace.Note, 100)}
}
