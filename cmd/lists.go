package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

const listsHelp = `Lists shows the lists that rules write to and ask for: leads, people to leave alone,
questions that nobody answered. Without a name it shows which lists there are. It
works while the bot runs.

  unanswered  the same questions are counted together, the most frequent first;
              --each shows them one by one
  paused      rules that stopped themselves, since they fired too often;
              nectar lists remove paused RULE lets one go on

Lists of settings.yaml stand there alone.`

// entryList is which entries are wanted.
type entryList struct {
	deskFlags
	csv, each bool
	since     time.Duration
	limit     int
}

func newLists(sh shell) *cobra.Command {
	var l entryList
	cmd := &cobra.Command{
		Use:   "lists [NAME]",
		Short: "Show leads, unanswered questions and other lists",
		Long:  listsHelp,
		Example: "  nectar lists\n  nectar lists unanswered --since 7d\n  nectar lists catering --csv --private > leads.csv\n" +
			"  nectar lists add do-not-touch @ana",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if l.csv && (l.json || len(args) == 0) {
				return badUsage(cmd, errors.New("--csv goes with the name of a list, and not with --json"))
			}
			return usage(cobra.MaximumNArgs(1))(cmd, args)
		},
		RunE: sh.atDesk(&l.deskFlags, func(ctx context.Context, d *desk, args []string) error {
			if len(args) == 0 {
				return d.lists(ctx)
			}
			return l.print(ctx, d, args[0])
		}),
	}
	l.add(cmd)
	l.privately(cmd)
	f := cmd.Flags()
	f.BoolVar(&l.csv, "csv", false, "print it for a spreadsheet")
	f.BoolVar(&l.each, "each", false, "count nothing together")
	f.Var((*span)(&l.since), "since", "only what was added within this `time`, like 24h or 7d")
	f.Var((*number)(&l.limit), "limit", "at most this `number` (default all)")
	cmd.AddCommand(newListAdd(sh, &l.deskFlags), newListRemove(sh, &l.deskFlags))
	return cmd
}

// listJSON is a list for machines.
type listJSON struct {
	Account event.Account `json:"account"`
	List    string        `json:"list"`
	Entries int           `json:"entries"`
}

// lists shows which lists there are.
func (d *desk) lists(ctx context.Context) error {
	those, err := d.among(ctx, record.Having{Thing: record.HasEntries})
	if err != nil {
		return err
	}
	t := table{head: []string{"LIST", "ACCOUNT", "ENTRIES"}}
	for _, account := range those {
		lists, err := d.Lists(ctx, account)
		if err != nil {
			return err
		}
		for _, c := range lists {
			if d.json {
				if err := printLine(d.out, listJSON{account, c.List, c.Entries}); err != nil {
					return err
				}
				continue
			}
			t.add(plain(c.List, 40), string(account), strconv.Itoa(c.Entries))
		}
	}
	if d.json {
		return nil
	}
	return d.print(&t, "nothing stands on any list yet")
}

func (l *entryList) print(ctx context.Context, d *desk, name string) error {
	rows, err := l.read(ctx, d, name)
	if err != nil {
		return err
	}
	if len(rows) == 0 && !d.json {
		if err := d.knownList(ctx, name); err != nil {
			return err
		}
	}
	switch {
	case name == unanswered && !l.each:
		return l.printAlike(d, rows)
	case d.json:
		for i := range rows {
			if err := printLine(d.out, rows[i].forMachines(d.private)); err != nil {
				return err
			}
		}
		return nil
	case l.csv:
		return printCSV(d.out, columns(rows), rows, d.private)
	}
	return d.printRows(rows, l.none(name))
}

func (l *entryList) none(name string) string {
	if l.since > 0 {
		return "nothing was added to " + quoted(name, 40) + " within that time"
	}
	return "nothing stands on " + quoted(name, 40)
}

// printRows prints a list to people.
func (d *desk) printRows(rows []row, none string) error {
	fields := columns(rows)
	head := []string{"SINCE", "ACCOUNT", "WHO", "NAME"}
	for _, f := range fields {
		head = append(head, strings.ToUpper(plain(f, 24)))
	}
	t := table{head: append(head, "TEXT", "KEY")}
	for i := range rows {
		r := &rows[i]
		person := ""
		if r.Peer != 0 {
			person = who(r.user, int64(r.Peer))
		}
		cells := []string{when(r.At), string(r.Account), person, plain(r.name, 24)}
		for _, f := range fields {
			cells = append(cells, plain(r.field(f, d.private), 40))
		}
		t.add(append(cells, plain(r.Text, 80), plain(r.Key, 0))...)
	}
	t.squeeze("WHO", "NAME", "TEXT")
	return d.print(&t, none)
}

// knownList refuses a list on which nothing stands, when it looks like a slip.
func (d *desk) knownList(ctx context.Context, name string) error {
	near, err := d.nearList(ctx, name)
	if err == nil && near != "" {
		err = fmt.Errorf("nothing stands on a list %q; did you mean %q?", name, near)
	}
	return err
}

// nearList returns the list that a name is near to, of those on which something stands, and those that the rules in
// force ask for; "" for none, and when it is one of them.
func (d *desk) nearList(ctx context.Context, name string) (string, error) {
	those, err := d.among(ctx, record.Having{Thing: record.HasEntries})
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
	force, err := d.inForce(ctx)
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
