package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

const (
	approvalColumns = `key, leader, within, expires_at, effects, ruling, ruled_by, ruled_at FROM `
	selectApproval  = `SELECT ` + approvalColumns + `approval WHERE shard = $1 AND account = $2 AND key = $3`
	// The actions of a turn stand beside each other: their keys begin with the same words.
	selectTogether  = `SELECT ` + approvalColumns + `approval WHERE shard = $1 AND account = $2 AND key >= $3 AND key < $4 AND leader = $5`
	selectApprovals = `SELECT approval.` + approvalColumns + `json_each($3) AS t CROSS JOIN approval
		WHERE shard = $1 AND account = $2 AND approval.key = t.value`
)

// Approvals returns what held actions wait for, or waited for, by the keys of the actions. Actions that have never waited for
// an approval are missing.
func (r *Reader) Approvals(ctx context.Context, account event.Account, keys []string) (map[string]event.Approval, error) {
	found := map[string]event.Approval{}
	if len(keys) == 0 {
		return found, nil
	}
	all, err := r.readApprovals(ctx, selectApprovals, account, account.Shard(), string(account), bind.Words(keys))
	for i := range all {
		found[all[i].Key] = all[i].Approval
	}
	return found, err
}

// Approval returns what an action that was held waits for, or waited; false when that was never said.
func (r *Reader) Approval(ctx context.Context, account event.Account, key string) (event.Approval, bool, error) {
	h, found, err := firstOf(r.readApprovals(ctx, selectApproval, account, account.Shard(), string(account), key))
	return h.Approval, found, err
}

// IsOvertaken reports whether a person of ours, who wrote last at a time, wrote to a peer after the bot had prepared a message for that peer.
func IsOvertaken(a *event.Action, wrote time.Time) bool {
	return a.Verb == event.VerbMessage && wrote.After(a.DecidedAt) //mutate:overtaken
}

// HeldGroup returns the actions that wait for an approval with the leader of a group, in
// their order, and itself.
func (r *Reader) HeldGroup(ctx context.Context, account event.Account, leader string) ([]record.Held, error) {
	of := leader[:strings.LastIndexByte(leader, '/')+1]
	query, args := selectTogether, []any{account.Shard(), string(account), of, of + ":", leader} // ":" comes after the digits
	if event.IsNamed(leader) {                                                                   // it waits alone
		query, args = selectApproval, []any{account.Shard(), string(account), leader}
	}
	all, err := r.readApprovals(ctx, query, account, args...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(x, y record.Held) int {
		return cmp.Or(cmp.Compare(len(x.Key), len(y.Key)), cmp.Compare(x.Key, y.Key))
	}) // by number
	for i := range all {
		a, ok, err := r.Action(ctx, account, all[i].Key)
		if err != nil {
			return nil, err
		}
		if ok {
			all[i].Action = a
		}
	}
	return all, nil
}

// readApprovals reads rows of approvals. They are few, and read when somebody decides or looks.
func (r *Reader) readApprovals(ctx context.Context, text string, account event.Account, args ...any) ([]record.Held, error) {
	all, err := rareRowsOf(ctx, r, text, func(rows scanner) (h record.Held, err error) {
		var within, expires, at int64
		var stored seal.Value
		if err = rows.Scan(&h.Key, &h.Group, &within, &expires, &stored, &h.Verdict.Ruling, &h.Verdict.By, &at); err != nil {
			return h, err
		}
		h.Within, h.Expires, h.Verdict.At = time.Duration(within)*time.Microsecond, bind.FromMicros(expires), bind.FromMicros(at)
		effects, err := stored.TextFrom(r.vault, seal.ApprovalEffects.CellOf(account, h.Key))
		if err == nil && effects != "" {
			err = json.Unmarshal([]byte(effects), &h.Effects)
		}
		return h, err
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read what waits for an approval of %s: %w", account, err)
	}
	return all, nil
}
