package seal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/internal/reason"
)

// lostNote is why something that waited does not happen.
var lostNote = reason.SentenceOf(event.Because(reason.KeyLost))

// What of the database is encrypted goes; what else the rows say stays. Events that wait are deleted as a whole, so
// that they are missing, and can be read from the platform once more. Entries stay in their lists: a person on a list
// of people not to write to stays there.
var forgettings = []string{
	`DELETE FROM event WHERE state <> 'handled' AND typeof(text) = 'blob'`,
	`UPDATE event SET text = CASE WHEN typeof(text) = 'blob' THEN '' ELSE text END, image = CASE WHEN typeof(image) = 'blob' THEN '' ELSE image END,
		note = CASE WHEN typeof(note) = 'blob' THEN '' ELSE note END, before = CASE WHEN typeof(before) = 'blob' THEN '' ELSE before END
		WHERE typeof(text) = 'blob' OR typeof(image) = 'blob' OR typeof(note) = 'blob' OR typeof(before) = 'blob'`,
	`UPDATE turn SET note = CASE WHEN typeof(note) = 'blob' THEN '' ELSE note END, before = CASE WHEN typeof(before) = 'blob' THEN '' ELSE before END
		WHERE typeof(note) = 'blob' OR typeof(before) = 'blob'`,
	`UPDATE conversation SET body = '` + EmptyBody + `', flow = '', flow_state = '', version = version + 1 WHERE typeof(body) = 'blob'`,
	`UPDATE action SET state = 'withdrawn', reason = '` + lostNote + `', why = '` + string(reason.KeyLost) + `', left_at = 0, ended_at = ?1
		WHERE typeof(text) = 'blob' AND state IN ('due', 'sending', 'unsure', 'held')`,
	// Behind the one above, which finds by the sealed text what has to be withdrawn.
	`UPDATE action SET text = '' WHERE typeof(text) = 'blob'`,
	// What was to happen with them is lost: those that wait together come to nothing.
	`UPDATE action SET state = 'withdrawn', reason = '` + lostNote + `', why = '` + string(reason.KeyLost) + `', left_at = 0, ended_at = ?1 WHERE state = 'held' AND key IN
		(SELECT p.key FROM approval AS p JOIN approval AS l ON l.shard = p.shard AND l.account = p.account AND l.key = p.leader
			WHERE p.shard = action.shard AND p.account = action.account AND p.ruling = ''
				AND (typeof(l.effects) = 'blob' OR EXISTS (SELECT 1 FROM approval AS q JOIN action AS a ON a.shard = q.shard AND a.account = q.account
					AND a.key = q.key WHERE q.shard = p.shard AND q.account = p.account AND q.leader = p.leader AND a.state = 'withdrawn')))`,
	`UPDATE approval SET effects = '' WHERE typeof(effects) = 'blob'`,
	`DELETE FROM stray WHERE typeof(text) = 'blob'`,
	`DELETE FROM timer WHERE typeof(data) = 'blob'`,
	`UPDATE timer SET note = '' WHERE typeof(note) = 'blob'`,
	`DELETE FROM fact WHERE typeof(value) = 'blob'`,
	`DELETE FROM account_value WHERE typeof(value) = 'blob'`,
	`UPDATE entry SET text = CASE WHEN typeof(text) = 'blob' THEN '' ELSE text END, data = CASE WHEN typeof(data) = 'blob' THEN '' ELSE data END
		WHERE typeof(text) = 'blob' OR typeof(data) = 'blob'`,
	`DELETE FROM notice WHERE typeof(text) = 'blob'`,
	`DELETE FROM request WHERE typeof(text) = 'blob'`,
	`DELETE FROM session WHERE substr(sealed, 1, 1) <> x'00'`,
	`DELETE FROM seal_key`,
	`DELETE FROM sealing`,
	`DELETE FROM seal_user`,
}

// forgetSealed deletes what is encrypted, and its keys.
func forgetSealed(ctx context.Context, db Querier, more []string) error {
	for _, statement := range slices.Concat(more, forgettings) {
		var now []any
		if strings.Contains(statement, "?1") {
			now = []any{time.Now().UnixMicro()}
		}
		if _, err := db.ExecContext(ctx, statement, now...); err != nil {
			return fmt.Errorf("forget what is encrypted: %w", err)
		}
	}
	return nil
}
