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
func (d *View) PrintLists(ctx context.Context) error {
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasEntries})
	if err != nil {
		return err
	}
	t := print.Table{Head: []string{"LIST", "ACCOUNT", "ENTRIES"}}
	for _, account := range those {
		lists, err := d.Lists(ctx, account)
		if err != nil {
			return err
		}
		for _, c := range lists {
			if d.JSON {
				if err := print.Line(d.Out, listJSON{account, c.List, c.Entries}); err != nil {
					return err
				}
				continue
			}
			t.Add(print.Plain(c.List, 40), string(account), strconv.Itoa(c.Entries))
		}
	}
	if d.JSON {
		return nil
	}
	return d.print(&t, "nothing stands on any list yet")
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
			if err := print.Line(d.Out, rows[i].forMachines(d.Private)); err != nil {
				return err
			}
		}
		return nil
	case l.CSV:
		return l.printCSV(d.Out, columns(rows), rows, d.Private)
	}
	return d.printRows(rows, l.none(name))
}

func (l *EntryList) none(name string) string {
	if l.Since > 0 {
		return "nothing was added to " + print.Quoted(name, 40) + " within that time"
	}
	return "nothing stands on " + print.Quoted(name, 40)
}

// printRows prints a list to people.
func (d *View) printRows(rows []row, none string) error {
	fields := columns(rows)
	head := []string{"SINCE", "ACCOUNT", "WHO", "NAME"}
	for _, f := range fields {
		head = append(head, strings.ToUpper(print.Plain(f, 24)))
	}
	t := print.Table{Head: append(head, "TEXT", "KEY")}
	for i := range rows {
		r := &rows[i]
		person := ""
		if r.Peer != 0 {
			person = print.Who(r.user, int64(r.Peer))
		}
		cells := []string{print.When(r.At), string(r.Account), person, print.Plain(r.name, 24)}
		for _, f := range fields {
			cells = append(cells, print.Plain(r.field(f, d.Private), 40))
		}
		t.Add(append(cells, print.Plain(r.Text, 80), print.Plain(r.Key, 0))...)
	}
	t.Squeeze("WHO", "NAME", "TEXT")
	return d.print(&t, none)
}

// knownList refuses a list on which nothing stands, when it looks like a slip.
func (d *View) knownList(ctx context.Context, name string) error {
	near, err := d.NearList(ctx, name)
	if err == nil && near != "" {
		err = fmt.Errorf("nothing stands on a list %q; did you mean %q?", name, near)
	}
	return err
}

// NearList returns the list that a name is near to, of those on which something stands, and those that the rules in
// force ask for; "" for none, and when it is one of them.
func (d *View) NearList(ctx context.Context, name string) (string, error) {
	those, err := d.AmongMeant(ctx, record.Having{Thing: record.HasEntries})
	if err != nil {
		return "", err
	}
	var names []string
	for _, account := range those {
		lists, err := d.Lists(ctx, account)
		if err != nil {
			return "", err
		}
		for _, c := range lists {
			names = append(names, c.List)
		}
	}
	force, err := d.InForce(ctx)
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
