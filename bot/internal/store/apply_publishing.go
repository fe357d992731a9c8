package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

// What an account publishes is counted at the time at which it is to leave, and from when it has left at that time.

// publishing are the statements that count it.
type publishing struct {
	useAround, useBeside, countLeft statement
}

func (s *publishing) statementTexts() map[*statement]string {
	const of = `shard = ?1 AND account = ?2 AND name = ?3 AND scope = ?4 AND action <> ?5`
	return map[*statement]string{
		// Of all times of that length which the new use lies in, those that end with a use have most of them: with the new one,
		// or with one that comes after it.
		&s.useAround: `INSERT INTO claim (shard, account, name, scope, action, claimed_at, ends_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
			WHERE ?8 > (SELECT count(*) FROM claim WHERE ` + of + ` AND claimed_at + ?9 > ?6 AND claimed_at <= ?6)
			AND NOT EXISTS (SELECT 1 FROM claim AS later WHERE ` + of + ` AND claimed_at > ?6 AND claimed_at - ?9 < ?6
				AND ?8 <= (SELECT count(*) FROM claim WHERE ` + of + ` AND claimed_at > later.claimed_at - ?9 AND claimed_at <= later.claimed_at))
			ON CONFLICT (shard, account, name, scope, action) DO UPDATE SET claimed_at = excluded.claimed_at, ends_at = excluded.ends_at`,
		// The same beside those that are ahead: what the action publishes is counted by then, so that no time may have more than the limit.
		&s.useBeside: `WITH used AS (SELECT claimed_at AS at, action FROM claim WHERE shard = ?1 AND account = ?2 AND name = '` + event.PublishingLimit + `' AND scope = ?4
				AND claimed_at + ?9 > ?6 AND claimed_at - ?9 < ?6),
			all_of AS (SELECT at FROM used UNION ALL SELECT value FROM json_each(?10) AS ahead
				WHERE NOT EXISTS (SELECT 1 FROM used WHERE used.at = ahead.value AND substr(used.action, 1, length(?11)) = ?11))
			INSERT INTO claim (shard, account, name, scope, action, claimed_at, ends_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
			WHERE NOT EXISTS (SELECT 1 FROM all_of AS last WHERE last.at >= ?6 AND last.at - ?9 < ?6
				AND ?8 < (SELECT count(*) FROM all_of AS one WHERE one.at > last.at - ?9 AND one.at <= last.at))
			ON CONFLICT (shard, account, name, scope, action) DO UPDATE SET claimed_at = excluded.claimed_at, ends_at = excluded.ends_at`,
		&s.countLeft: `UPDATE claim SET ends_at = ?1 + ends_at - claimed_at, claimed_at = ?1
			WHERE shard = ?2 AND account = ?3 AND name IN ('` + event.PublishingLimit + `', '` + event.OthersLimit + `') AND scope = '' AND action = ?4 AND claimed_at < ?1`,
	}
}

// countDeparture lets what has left count from then on.
func (a *applier) countDeparture(m *outbox.Mark) error {
	return a.countLeft.at(departureTime(m.LeftAt, m.EndedAt)).key(m.Account).str(m.Key).do()
}

// departureTime returns when something had left for certain of which is known when its request did, and when it was over.
func departureTime(left, ended time.Time) time.Time {
	if ended.After(left) {
		return ended
	}
	return left
}
