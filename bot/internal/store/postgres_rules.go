package store

import (
	"time"

	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// Rules belong to no shard: every worker may store the same version, and say the same of the same accounts, in the same moment. So
// that workers do not wait for each other in a circle, a group stores them before all else, in the order of hashes, and what is in
// force in that of accounts. When a version was last named is noted only where nobody else has its row: what they note is as new.

// upsertAllInForce changes no row that says the same already: with many workers only the first one writes.
const upsertAllInForce = `INSERT INTO rules_in_force (account, hash, folder, since)
	SELECT n.account, n.hash, n.folder, $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS n(account, hash, folder)
	WHERE NOT EXISTS (SELECT 1 FROM rules_in_force AS f WHERE f.account = n.account AND f.hash = n.hash AND f.folder = n.folder)
	ORDER BY n.account COLLATE "C"
	ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, folder = excluded.folder, since = excluded.since`

func (e *pgEngine) putInForce(rules map[string]*savedRules, since time.Time) error {
	var accounts, hashes, folders bind.Words
	for account, r := range rules {
		accounts, hashes, folders = append(accounts, account), append(hashes, r.Hash), append(folders, r.Folder)
	}
	return e.inForceOf.addWords(accounts).addWords(hashes).addWords(folders).at(since).do()
}

// What of the rules PostgreSQL has in words of its own.
var _ = remote.AddRewordings(map[string]string{
	updateUsed: `UPDATE rules_version SET used_at = max(used_at, $1) WHERE hash =
		(SELECT hash FROM rules_version WHERE hash = $2 FOR UPDATE SKIP LOCKED)`,
	selectRulesNamed: selectRulesNamed + ` AND hash NOT IN (SELECT hash FROM rules_edition)`,
	deleteRules: `DELETE FROM rules_version WHERE hash = (SELECT hash FROM rules_version WHERE hash = $1 AND max(used_at, loaded_at) < $2
		FOR UPDATE SKIP LOCKED)`,
})
