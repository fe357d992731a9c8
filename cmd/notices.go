package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
	"github.com/spf13/cobra"
)

const noticesHelp = `Notices lists what people of ours were called for: who needs a person, what waits for
approval, what is wrong. The newest comes first. It works while the bot runs.

  waiting    not told yet: it waits for the next digest, for the end of quiet hours,
             or for an address that fails; the last error stands beside it
  told       every address of the team has it, or the team has none but the log
  given up   an address did not take it for 24 hours

Who is called at which address stands in settings.yaml; see docs/notices.md.`

const noticesTestHelp = `Test sends a notice to each address of a team now, and says what came back. It needs no
running bot.

Exit status: 0 every address took it, 1 one did not, 2 wrong settings or command line.`

// noticeList is which notices are wanted.
type noticeList struct {
	deskFlags
	team   string
	since  time.Duration
	failed bool
	limit  int
}

func newNotices(sh shell) *cobra.Command {
	l := noticeList{since: 7 * 24 * time.Hour, limit: defaultLimit}
	cmd := &cobra.Command{
		Use:     "notices",
		Short:   "Show what people were called for, and call one",
		Long:    noticesHelp,
		Example: "  nectar notices\n  nectar notices --team sales --since 12h\n  nectar notices --failed\n  nectar notices test sales",
		GroupID: groupCare,
		Args:    usage(knownCommand),
		RunE:    sh.atDesk(&l.deskFlags, func(ctx context.Context, d *desk, _ []string) error { return l.print(ctx, d) }),
	}
	l.add(cmd)
	l.privately(cmd)
	f := cmd.Flags()
	f.StringVar(&l.team, "team", "", "only those that this `team` was, or is to be, called for")
	f.Var((*span)(&l.since), "since", "only those of the last `time`, like 12h or 7d")
	f.BoolVar(&l.failed, "failed", false, "only those that an address has not taken")
	f.Var((*number)(&l.limit), "limit", "at most this `number`")
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newNoticesTest(sh))
	return cmd
}

// noticeRow is a notice with what became of it.
type noticeRow struct {
	event.Notice
	fates map[string]autoresponder.Fate
}

// state says in a word what became of a notice.
func (r *noticeRow) state() string {
	gone := slices.ContainsFunc(slices.Collect(maps.Values(r.fates)), func(f autoresponder.Fate) bool { return !f.GivenUp.IsZero() })
	switch {
	case gone && r.Kind != notify.KindUndelivered:
		return "given up"
	case r.SentAt.IsZero():
		return "waiting"
	}
	return "told"
}

// failed tells whether an address has not taken it.
func (r *noticeRow) failed() bool { return r.trouble() != "" }

// trouble says which addresses have not taken a notice, and why.
func (r *noticeRow) trouble() string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(r.fates)) {
		if f := r.fates[id]; f.Sent.IsZero() && f.Error != "" && r.Kind != notify.KindUndelivered {
			all = append(all, f.At+": "+f.Error)
		}
	}
	return strings.Join(all, "; ")
}

// of tells whether a notice is for a team.
func (r *noticeRow) of(team string) bool {
	return team == "" || r.Who == team || r.Who == event.Everybody ||
		slices.ContainsFunc(slices.Collect(maps.Values(r.fates)), func(f autoresponder.Fate) bool { return f.Team == team })
}

// read returns the notices that are wanted, the newest first.
func (l *noticeList) read(ctx context.Context, d *desk) ([]noticeRow, error) {
	read := l.limit
	if l.team != "" || l.failed {
		read = sifted
	}
	found, err := d.Notices(ctx, event.Account(l.account), time.Now().Add(-l.since), read)
	if err != nil {
		return nil, err
	}
	var rows []noticeRow
	for i := range found {
		r := noticeRow{found[i], autoresponder.Fates(&found[i])}
		if r.of(l.team) && (!l.failed || r.failed()) && len(rows) < l.limit {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (l *noticeList) print(ctx context.Context, d *desk) error {
	rows, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	if d.json {
		for i := range rows {
			if err := printLine(d.out, rows[i].forMachines(d.private)); err != nil {
				return err
			}
		}
		return nil
	}
	t := table{head: []string{"STATE", "AGE", "ACCOUNT", "TEAM", "ABOUT", "WHO", "TEXT", "ERROR"}}
	for i := range rows {
		r := &rows[i]
		person := ""
		if r.Peer != 0 {
			person = who(r.Detailed().User, int64(r.Peer))
		}
		team := r.Who
		if team == event.Everybody {
			team = "all called"
		}
		t.add(r.state(), humanize.Time(r.At), string(r.Account), plain(team, 24), plain(r.Kind, 24), person, plain(r.says(d.private), 80), plain(r.trouble(), 120))
	}
	t.squeeze("WHO", "ERROR")
	return d.print(&t, "nobody was called for anything within that time")
}

// says is what a notice says on a line.
func (r *noticeRow) says(open bool) string {
	d := r.Detailed()
	switch {
	case r.Private && !open:
		return private
	case d.Over:
		return "over: " + r.Text
	case d.Plain && d.Said != "" && d.Answer != "":
		return fmt.Sprintf("%q → %q", d.Said, d.Answer)
	case d.Plain && d.Said != "":
		return fmt.Sprintf("%q", d.Said)
	}
	return r.Text
}

// noticeJSON is a notice for machines.
type noticeJSON struct {
	Account   event.Account                 `json:"account"`
	ID        string                        `json:"id"`
	State     string                        `json:"state"`
	Team      string                        `json:"team"` // "*" for all that are called
	Kind      string                        `json:"kind"`
	Peer      int64                         `json:"peer,omitempty"`
	Text      string                        `json:"text"`
	Private   bool                          `json:"private,omitempty"`
	Details   *event.Details                `json:"details,omitempty"`
	At        time.Time                     `json:"at"`
	SentAt    time.Time                     `json:"sent_at,omitzero"`
	Addresses map[string]autoresponder.Fate `json:"addresses,omitempty"`
}

func (r *noticeRow) forMachines(open bool) noticeJSON {
	details := r.Detailed()
	n := noticeJSON{
		r.Account, r.ID, r.state(), r.Who, r.Kind, int64(r.Peer), r.Text, r.Private, &details, r.At.UTC(), r.SentAt.UTC(), r.fates,
	}
	if r.Private && !open {
		n.Text, details.Said, details.Answer = private, "", ""
	}
	return n
}
