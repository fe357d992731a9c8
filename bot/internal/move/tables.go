package move

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// movedTable is a table with rows of accounts, as they are moved.
type movedTable struct {
	name    string
	key     []string // its columns behind shard and account
	columns []string // all, as both databases have them

	keys    []int // the places of key among the columns
	version int   // the one of the version of rules that a row names; -1 for none
	sealed  []int // those of the values that may be sealed
	also    int   // the one of what else tells where these stand; -1 for nothing
	cells   func(account event.Account, key []any, also int64) []seal.Cell
}

// clearTables are the tables of accounts without anything that may be sealed, with their keys behind shard and account.
var clearTables = []movedTable{
	{name: "named", key: []string{"key"}},
	{name: "doubt", key: []string{"key"}},
	{name: "claim", key: []string{"name", "scope", "action"}},
	{name: "cursor", key: []string{"source", "peer"}},
	{name: "alarm", key: []string{"kind", "subject"}},
	{name: "floor", key: []string{"source"}},
	{name: "ignored", key: []string{"peer"}},
	{name: "waiting", key: []string{"peer"}},
}

// sharedTables belong to all accounts of a database, or to none: a move brings together what both have of them.
var sharedTables = []string{"rules_version", "rules_in_force", "address"}

// inspectorTables are the tables of accounts that inspectors write, whether a bot runs or not.
var inspectorTables = []string{"request", "entry", "claim"}

// actingTables are the tables in which a bot finds rows without naming an account, and acts on them.
var actingTables = []string{"timer", "notice", "request", "alarm"}

// movedTables returns the tables of accounts. The columns are those of both databases.
func movedTables(ctx context.Context, from, to side) ([]movedTable, error) {
	var tables []movedTable
	for i := range seal.Tables {
		t := &seal.Tables[i]
		tables = append(tables, movedTable{name: t.Name, key: t.Key, cells: t.Cells})
	}
	tables = append(tables, clearTables...)
	for i := range tables {
		t := &tables[i]
		var err error
		if t.columns, err = from.tableColumns(ctx, t.name); err != nil {
			return nil, err
		}
		if to != nil {
			there, err := to.tableColumns(ctx, t.name)
			if err != nil {
				return nil, err
			}
			if !slices.Equal(t.columns, there) {
				return nil, fmt.Errorf("the table %s has other columns in %s than in %s", t.name, from.name(), to.name())
			}
		}
		t.find()
	}
	return tables, nil
}

// find finds the columns that matter.
func (t *movedTable) find() {
	t.keys, t.sealed, t.also = nil, nil, -1
	for _, k := range t.key {
		t.keys = append(t.keys, slices.Index(t.columns, k))
	}
	t.version = slices.Index(t.columns, "rules_version")
	for i := range seal.Tables {
		if s := &seal.Tables[i]; s.Name == t.name {
			for _, v := range s.Values {
				t.sealed = append(t.sealed, slices.Index(t.columns, v))
			}
			t.also = slices.Index(t.columns, s.Also)
		}
	}
}

// columnList returns the columns as a statement names them.
func (t *movedTable) columnList() string { return `"` + strings.Join(t.columns, `", "`) + `"` }

// readable returns the columns as they are read. An epoch is of the database alone where it was given: elsewhere there is none.
func (t *movedTable) readable() string {
	return strings.Replace(t.columnList(), `"epoch"`, `"epoch" * 0 AS "epoch"`, 1)
}

// read is the statement that reads the rows of an account, in the order of their keys.
func (t *movedTable) read() string {
	text := `SELECT ` + t.readable() + ` FROM "` + t.name + `" WHERE shard = ? AND account = ?`
	if len(t.key) > 0 {
		text += ` ORDER BY "` + strings.Join(t.key, `", "`) + `"`
	}
	return text
}

// insert is the statement that stores a row.
func (t *movedTable) insert() string {
	return `INSERT INTO "` + t.name + `" (` + t.columnList() + `) VALUES (` + strings.Repeat("?, ", len(t.columns)-1) + `?)`
}

// clear is the statement that deletes the rows of an account.
func (t *movedTable) clear() string {
	return `DELETE FROM "` + t.name + `" WHERE shard = ? AND account = ?`
}
