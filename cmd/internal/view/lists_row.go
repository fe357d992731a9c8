package view

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/platform"
)

// row is an entry of a list with what people want to know about it.
type row struct {
	event.Entry
	user, name string
	fields     []ruledecision.Field // in the order of the file
}

// entriesAtOnce is how many entries are read at a time.
const entriesAtOnce = 1000

// read returns the entries of a list that are wanted, newest first.
func (l *EntryList) read(ctx context.Context, d *View, list string) ([]row, error) {
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasEntriesOn, List: list})
	if err != nil {
		return nil, err
	}
	return l.readOf(ctx, d, list, those...)
}

// readOf is read for some accounts.
func (l *EntryList) readOf(ctx context.Context, d *View, list string, accounts ...event.Account) ([]row, error) {
	after := time.Time{}
	if l.Since > 0 {
		after = time.Now().Add(-l.Since)
	}
	var rows []row
	for _, account := range accounts {
		err := d.eachEntry(ctx, account, list, func(e event.Entry) {
			if !e.At.Before(after) {
				rows = append(rows, row{Entry: e})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Key, b.Key)) })
	if l.Limit > 0 && (list != unanswered || l.Each) {
		rows = rows[:min(len(rows), l.Limit)]
	}
	return rows, d.fill(ctx, rows)
}

// eachEntry calls f with each entry of a list.
func (v *View) eachEntry(ctx context.Context, account event.Account, list string, f func(e event.Entry)) error {
	after := ""
	for {
		entries, err := v.Entries(ctx, account, list, after, entriesAtOnce)
		if err != nil {
			return err
		}
		for _, e := range entries {
			f(e)
		}
		if len(entries) < entriesAtOnce {
			return nil
		}
		after = entries[len(entries)-1].Key
	}
}

// fill reads the fields of rows, and whom they are about.
func (v *View) fill(ctx context.Context, rows []row) error {
	for some := range slices.Chunk(rows, entriesAtOnce) {
		keys := make([]event.Key, len(some))
		for i := range some {
			keys[i] = event.Key{Account: some[i].Account, Peer: some[i].Peer}
		}
		people, err := v.readPeople(ctx, keys)
		if err != nil {
			return err
		}
		for i := range some {
			r := &some[i]
			r.user, r.name = people[keys[i]].User, people[keys[i]].Name
			if len(r.Data) == 0 {
				continue
			}
			if err := json.Unmarshal(r.Data, &r.fields); err != nil {
				return fmt.Errorf("read the fields of %s on the list %s: %w", r.Key, r.List, err)
			}
		}
	}
	return nil
}

// columnNames returns the names of all fields, in the order in which they come up.
func columnNames(rows []row) []string {
	var names []string
	for i := range rows {
		for _, f := range rows[i].fields {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// fieldText returns the value of a field as it may be shown.
func (r *row) fieldText(name string, open bool) string {
	i := slices.IndexFunc(r.fields, func(f ruledecision.Field) bool { return f.Name == name })
	switch {
	case i < 0:
		return ""
	case r.fields[i].Private && !open:
		return words.Private
	}
	return r.fields[i].Value
}

// rowJSON is an entry for machines.
type rowJSON struct {
	Account event.Account     `json:"account"`
	List    string            `json:"list"`
	Key     string            `json:"key"`
	Peer    platform.UserID   `json:"peer,omitempty"`
	User    string            `json:"user,omitempty"`
	Name    string            `json:"name,omitempty"`
	Text    string            `json:"text,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
	Trigger string            `json:"trigger,omitempty"` // what led to it
	At      time.Time         `json:"at"`
}

func (r *row) forMachines(open bool) rowJSON {
	fields := map[string]string{}
	for _, f := range r.fields {
		fields[f.Name] = r.fieldText(f.Name, open)
	}
	return rowJSON{r.Account, r.List, r.Key, r.Peer, r.user, r.name, r.Text, fields, r.Trigger, r.At.UTC()}
}

// printCSV prints rows for a spreadsheet, with a column for each field behind those that all lists have.
func (l *EntryList) printCSV(w io.Writer, fields []string, rows []row, open bool) error {
	head := []string{"since", "account", "number", "user", "name", "text", "key"}
	for _, f := range fields {
		if slices.Contains(head, f) {
			f = "answer " + f
		}
		head = append(head, f)
	}
	lines := [][]string{head}
	for i := range rows {
		r := &rows[i]
		number := ""
		if r.Peer != 0 {
			number = strconv.FormatInt(int64(r.Peer), 10)
		}
		line := []string{r.At.UTC().Format(time.RFC3339), string(r.Account), number, r.user, r.name, r.Text, r.Key}
		for _, f := range fields {
			line = append(line, r.fieldText(f, open))
		}
		lines = append(lines, line)
	}
	return print.WriteCSV(w, lines, l.NoBOM)
}
