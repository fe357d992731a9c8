package view

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	ruledecision "github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/platform"
)

// EntryList is which entries are wanted.
type EntryList struct {
	Flags
	CSV, Each bool
	NoBOM     bool // of CSV
	Since     time.Duration
	Limit     int
}

// listJSON is a list for machines.
type listJSON struct {
	Account event.Account `json:"account"`
	List    string        `json:"list"`
	Entries int           `json:"entries"`
}

// PrintLists shows which lists there are.
func (v *View) PrintLists(ctx context.Context) error {
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasEntries})
	if err != nil {
		return err
	}
	t := v.newTable("LIST", "ACCOUNT", "ENTRIES")
	for _, account := range those {
		lists, err := v.Lists(ctx, account)
		if err != nil {
			return err
		}
		for _, c := range lists {
			t.AddRow(listJSON{account, c.List, c.Entries}, print.PlainText(c.List, 40), string(account), strconv.Itoa(c.Entries))
		}
	}
	return v.print(t, "nothing stands on any list yet")
}

// Print writes the entries of a list.
func (l *EntryList) Print(ctx context.Context, d *View, name string) error {
	rows, err := l.read(ctx, d, name)
	if err != nil {
		return err
	}
	if len(rows) == 0 && !d.JSON {
		if err := d.knownList(ctx, name); err != nil {
			return err
		}
	}
	switch {
	case name == unanswered && !l.Each:
		return l.printAlike(d, rows)
	case d.JSON:
		return print.WriteLines(d.Out, rows, func(r *row) any { return r.forMachines(d.Private) })
	case l.CSV:
		return l.printCSV(d.Out, columnNames(rows), rows, d.Private)
	}
	return d.printRows(rows, l.noneText(name))
}

func (l *EntryList) noneText(name string) string {
	if l.Since > 0 {
		return "nothing was added to " + print.QuotePlain(name, 40) + " within that time"
	}
	return "nothing stands on " + print.QuotePlain(name, 40)
}

// printRows prints a list to people.
func (v *View) printRows(rows []row, none string) error {
	fields := columnNames(rows)
	head := []string{"SINCE", "ACCOUNT", "WHO", "NAME"}
	for _, f := range fields {
		head = append(head, strings.ToUpper(print.PlainText(f, 24)))
	}
	t := print.Table{Head: append(head, "TEXT", "KEY")}
	for i := range rows {
		r := &rows[i]
		person := ""
		if r.Peer != 0 {
			person = print.PersonName(r.user, int64(r.Peer))
		}
		cells := []string{print.TimeText(r.At), string(r.Account), person, print.PlainText(r.name, 24)}
		for _, f := range fields {
			cells = append(cells, print.PlainText(r.fieldText(f, v.Private), 40))
		}
		t.Add(append(cells, print.PlainText(r.Text, 80), print.PlainText(r.Key, 0))...)
	}
	t.DropEmpty("WHO", "NAME", "TEXT")
	return v.print(&t, none)
}

// knownList refuses a list on which nothing stands, when it looks like a slip.
func (v *View) knownList(ctx context.Context, name string) error {
	near, err := v.NearList(ctx, name)
	if err == nil && near != "" {
		err = fmt.Errorf("nothing stands on a list %q; did you mean %q?", name, near)
	}
	return err
}

// NearList returns the list that a name is near to, of those on which something stands, and those that the rules in
// force ask for; "" for none, and when it is one of them.
func (v *View) NearList(ctx context.Context, name string) (string, error) {
	those, err := v.AmongMeant(ctx, record.Having{Thing: record.HasEntries})
	if err != nil {
		return "", err
	}
	var names []string
	for _, account := range those {
		lists, err := v.Lists(ctx, account)
		if err != nil {
			return "", err
		}
		for _, c := range lists {
			names = append(names, c.List)
		}
	}
	force, err := v.InForce(ctx)
	if err != nil {
		return "", err
	}
	for _, f := range force {
		names = append(names, f.Lists()...)
	}
	if slices.Contains(names, name) {
		return "", nil
	}
	return textfile.NearestWord(name, names), nil
}

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
			if len(r.Data) > 0 {
				r.fields = fieldsIn(r.Data)
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
