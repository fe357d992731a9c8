package move

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/bind"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/platform"
)

// ReadContents returns all rows of a database, with what is sealed opened, by table: for tests that compare two.
func ReadContents(ctx context.Context, path string, key platform.Secret) (map[string][]string, error) {
	s, err := openSide(ctx, path, key, looked)
	if err != nil || s == nil {
		return nil, err
	}
	defer func() { _ = s.close(ctx) }()
	tables, err := movedTables(ctx, s, nil)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for i := range tables {
		t := &tables[i]
		accounts, err := s.queryRows(ctx, `SELECT DISTINCT account FROM "`+t.name+`"`)
		if err != nil {
			return nil, err
		}
		for _, a := range accounts {
			err := s.read(ctx, t, event.Account(bind.WordOf(a[0])), func(row *movedRow) error {
				var text strings.Builder
				for _, v := range row.values {
					fmt.Fprintf(&text, "%d %q, ", v.number, v.text)
				}
				all[t.name] = append(all[t.name], text.String())
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		slices.Sort(all[t.name])
	}
	for _, name := range sharedTables {
		rows, err := s.queryRows(ctx, `SELECT * FROM `+name)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			all[name] = append(all[name], fmt.Sprintf("%q", row))
		}
		slices.Sort(all[name])
	}
	return all, nil
}

// MovedTables returns the tables that a move takes along, or brings together.
func MovedTables() []string {
	all := slices.Clone(sharedTables)
	for i := range seal.Tables {
		all = append(all, seal.Tables[i].Name)
	}
	for i := range clearTables {
		all = append(all, clearTables[i].name)
	}
	return all
}
