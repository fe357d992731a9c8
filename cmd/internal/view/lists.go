package view

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/text"
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
	t := print.Table{Head: []string{"LIST", "ACCOUNT", "ENTRIES"}}
	for _, account := range those {
		lists, err := v.Lists(ctx, account)
		if err != nil {
			return err
		}
		for _, c := range lists {
			if v.JSON {
				if err := print.WriteLine(v.Out, listJSON{account, c.List, c.Entries}); err != nil {
					return err
				}
				continue
			}
			t.Add(print.PlainText(c.List, 40), string(account), strconv.Itoa(c.Entries))
		}
	}
	if v.JSON {
		return nil
	}
	return v.print(&t, "nothing stands on any list yet")
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
		for i := range rows {
			if err := print.WriteLine(d.Out, rows[i].forMachines(d.Private)); err != nil {
				return err
			}
		}
		return nil
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
	return text.Nearest(name, names), nil
}
