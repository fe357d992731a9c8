package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

const (
	// Actions are deleted when they are old; the limit uses they took stay as long as they count.
	selectPublished = `SELECT key, verb, post, state, due_at, result, reason, why, left_at, ended_at, rule, apart FROM action INDEXED BY action_published
		WHERE (verb = 'renew' OR verb = 'repost' AND want = 1 OR verb = 'post' AND post = 0) AND shard = $1 AND account = $2
		AND max(due_at, left_at) >= $3
	UNION ALL SELECT action, '', 0, 'done', 0, 0, '', '', claimed_at, claimed_at, '', 0 FROM claim AS c
		WHERE shard = $1 AND account = $2 AND name = '` + event.PublishingLimit + `' AND scope = ''
		AND claimed_at >= $3 AND NOT EXISTS (SELECT 1 FROM action AS a WHERE a.shard = c.shard AND a.account = c.account AND a.key = c.action)`
	selectTakenBack = `SELECT max(left_at) FROM action INDEXED BY action_taken_back
		WHERE shard = $1 AND account = $2 AND verb = 'repost' AND want = 0 AND post = $3 AND left_at > 0 AND state IN ('done', 'sending', 'unsure')`
)

// Published returns what an account has published since a time, or is to publish, by time: own posts, reposts and renewals,
// by rules, campaigns and people alike. What waits for an approval is left out, and so is what failed or was withdrawn. What turns
// have decided a moment ago may be missing. Of what is older than NECTAR_RETENTION there is the time alone, as long as a limit counts it.
func (r *Reader) Published(ctx context.Context, account event.Account, since time.Time) ([]event.Publication, error) {
	var all []event.Publication
	err := r.each(ctx, selectPublished, func(rows scanner) error {
		var p event.Publication
		var due, result, left, ended, apart int64
		var why event.Reason
		var sentence, rule string
		if err := rows.Scan(&p.Key, &p.Verb, &p.Post, &p.State, &due, &result, &sentence, &why, &left, &ended, &rule, &apart); err != nil {
			return err
		}
		switch {
		// What has not come about, and what was so before we did anything, keeps no distance from anything.
		case isFailed(p.State), p.State == event.StateHeld && left == 0, p.State == event.StateDone && reason.Read(why, sentence).Code() == reason.WasSo:
			return nil
		case p.State == event.StateDue:
			p.At = bind.FromMicros(due)
		default:
			p.At = bind.FromMicros(cmp.Or(left, due))
		}
		p.Ended, p.By, p.Apart = bind.FromMicros(ended), publishedBy(p.Key, rule), time.Duration(apart)*time.Microsecond
		if p.Verb == event.VerbPost && p.State == event.StateDone {
			p.Post = platform.PostID(result)
		}
		all = append(all, p)
		return nil
	}, account.Shard(), string(account), bind.ToMicros(since))
	if err != nil {
		return nil, fmt.Errorf("read what %s has published: %w", account, err)
	}
	slices.SortStableFunc(all, func(x, y event.Publication) int { return x.At.Compare(y.At) })
	return all, nil
}

// publishedBy returns what an action comes from: its own name, its rule or its route.
func publishedBy(key, rule string) string {
	if event.IsNamed(key) {
		a := event.Action{Key: key}
		name, _ := a.Name()
		return name
	}
	if rule != "" {
		return rule
	}
	parts := strings.Split(key, "/") // trigger/route/n, and triggers of timers and nudges end with a number, too
	parts = parts[:len(parts)-1]
	for i := len(parts) - 1; i > 0; i-- {
		if strings.Trim(parts[i], "0123456789") == "" {
			parts = parts[i:]
			break
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts[1:], "/")
}

// TakenBack returns when the account has last taken back its repost of a post by an action of its own, or has begun to; zero for never, or
// when that is older than what is kept.
func (r *Reader) TakenBack(ctx context.Context, account event.Account, post platform.PostID) (time.Time, error) {
	var at sql.NullInt64
	err := r.each(ctx, selectTakenBack, func(rows scanner) error { return rows.Scan(&at) }, account.Shard(), string(account), int64(post))
	if err != nil {
		return time.Time{}, fmt.Errorf("read when %s has taken back its repost of %d: %w", account, post, err)
	}
	return bind.FromMicros(at.Int64), nil
}
