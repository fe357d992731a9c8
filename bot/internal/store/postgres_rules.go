package store

import (
	"cmp"
	"maps"
	"slices"

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

// shareRules stores the rules of a group that come into force.
func (a *applier) shareRules(g *group) error {
	if a.line == nil {
		return nil
	}
	saved := map[string]*savedRules{} // by hash
	in := map[string]*savedRules{}    // by account: the last one
	named := false
	var last *savedRules
	for i := range g.writes {
		r := g.writes[i].rules
		if r == nil || g.refused[i] {
			continue
		}
		saved[r.Hash], last = r, r
		a.loaded[r.Hash] = true
		if len(r.Accounts) == 0 {
			in[""] = r
			continue
		}
		delete(in, "")
		named = true
		for _, account := range r.Accounts {
			in[string(account)] = r
		}
	}
	if last == nil {
		return nil
	}
	for _, r := range slices.SortedFunc(maps.Values(saved), func(x, y *savedRules) int { return cmp.Compare(x.Hash, y.Hash) }) {
		if err := a.rules.str(r.Hash).str(r.Content).at(r.at).do(); err != nil {
			return err
		}
	}
	if named {
		if err := a.notNamed.do(); err != nil {
			return err
		}
	}
	var accounts, hashes, folders bind.Words
	for account, r := range in {
		accounts, hashes, folders = append(accounts, account), append(hashes, r.Hash), append(folders, r.Folder)
	}
	return a.inForceOf.addWords(accounts).addWords(hashes).addWords(folders).at(last.at).do()
}

// What of the rules PostgreSQL has in words of its own.
var _ = remote.AddRewordings(map[string]string{
	updateUsed: `UPDATE rules_version SET used_at = max(used_at, $1) WHERE hash =
		(SELECT hash FROM rules_version WHERE hash = $2 FOR UPDATE SKIP LOCKED)`,
	selectRulesNamed: selectRulesNamed + ` AND hash NOT IN (SELECT hash FROM rules_edition)`,
	deleteRules: `DELETE FROM rules_version WHERE hash = (SELECT hash FROM rules_version WHERE hash = $1 AND max(used_at, loaded_at) < $2
		FOR UPDATE SKIP LOCKED)`,
})
