package view

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// NoticeList is which notices are wanted.
type NoticeList struct {
	Flags
	Team   string
	Since  time.Duration
	Failed bool
	Limit  int

	Cursor inspect.Cursor // where it goes on; "" is its beginning
	next   inspect.Cursor // where it goes on behind what was read; "" for nowhere
}

// noticeRow is a notice with what became of it.
type noticeRow struct {
	event.Notice
	fates map[string]autoresponder.Fate
}

// stateText says in a word what became of a notice.
func (r *noticeRow) stateText() string {
	gone := slices.ContainsFunc(slices.Collect(maps.Values(r.fates)), func(f autoresponder.Fate) bool { return !f.GivenUp.IsZero() })
	switch {
	case gone && r.Kind != notify.KindUndelivered:
		return "given up"
	case r.SentAt.IsZero():
		return "waiting"
	}
	return "told"
}

// failed reports whether an address has not taken it.
func (r *noticeRow) failed() bool { return r.troubleText() != "" }

// troubleText says which addresses have not taken a notice, and why.
func (r *noticeRow) troubleText() string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(r.fates)) {
		if f := r.fates[id]; f.Sent.IsZero() && f.Error != "" && r.Kind != notify.KindUndelivered {
			all = append(all, f.At+": "+f.Error)
		}
	}
	return strings.Join(all, "; ")
}

// isForTeam reports whether a notice is for a team.
func (r *noticeRow) isForTeam(team string) bool {
	return team == "" || r.Who == team || r.Who == event.Everybody ||
		slices.ContainsFunc(slices.Collect(maps.Values(r.fates)), func(f autoresponder.Fate) bool { return f.Team == team })
}

// read returns the notices that are wanted behind the cursor, the newest first.
func (l *NoticeList) read(ctx context.Context, d *View) ([]noticeRow, error) {
	var wanted func(n *event.Notice) bool
	if l.Team != "" || l.Failed {
		wanted = func(n *event.Notice) bool {
			r := noticeRow{*n, autoresponder.Fates(n)}
			return r.isForTeam(l.Team) && (!l.Failed || r.failed())
		}
	}
	q := record.NoticeQuery{Account: event.Account(l.Account), Since: time.Now().Add(-l.Since), Limit: l.Limit}
	page, err := inspect.Notices(ctx, d.Inspector, q, wanted, l.Cursor)
	if err != nil {
		return nil, badCursor(err)
	}
	l.next = page.Next
	rows := make([]noticeRow, len(page.Rows))
	for i := range rows {
		rows[i] = noticeRow{page.Rows[i], autoresponder.Fates(&page.Rows[i])}
	}
	return rows, nil
}

// Print writes the list of notices.
func (l *NoticeList) Print(ctx context.Context, d *View) error {
	rows, err := l.read(ctx, d)
	if err != nil {
		return err
	}
	if d.JSON {
		for i := range rows {
			line := rows[i].forMachines(d.Private)
			if i == len(rows)-1 {
				line.Next = l.next
			}
			if err := print.WriteLine(d.Out, line); err != nil {
				return err
			}
		}
		return nil
	}
	t := print.Table{Head: []string{"NUMBER", "STATE", "AGE", "ACCOUNT", "TEAM", "ABOUT", "WHO", "TEXT", "ERROR"}}
	for i := range rows {
		r := &rows[i]
		person := ""
		if r.Peer != 0 {
			person = print.PersonName(r.Detailed().User, int64(r.Peer))
		}
		team := r.Who
		if team == event.Everybody {
			team = "all called"
		}
		t.Add(r.shortNumber(), r.stateText(), humanize.Time(r.At), string(r.Account), print.PlainText(team, 24), print.PlainText(r.Kind, 24), person, print.PlainText(r.lineText(d.Private), 80), print.PlainText(r.troubleText(), 120))
	}
	t.DropEmpty("NUMBER", "WHO", "ERROR")
	if err := d.print(&t, "nobody was called for anything within that time"); err != nil || l.Cursor == "" {
		return err
	}
	return d.tellNext(l.next)
}

// shortNumber is by what somebody may take it who sees to the person; "" of one that is about nobody.
func (r *noticeRow) shortNumber() string {
	if r.Peer == 0 {
		return ""
	}
	return numberOf(&r.Notice)
}

// numberOf returns what people may write instead of a notice's id, made like the number of an action.
func numberOf(n *event.Notice) string { return (&event.Action{Account: n.Account, Key: n.ID}).Number() }

// lineText is what a notice says on a line.
func (r *noticeRow) lineText(open bool) string {
	d := r.Detailed()
	switch {
	case r.Private && !open:
		return words.Private
	case d.Over:
		return "over: " + r.Text
	case d.Plain && d.Said != "" && d.Answer != "":
		return fmt.Sprintf("%q → %q", d.Said, d.Answer)
	case d.Plain && d.Said != "":
		said := []string{strconv.Quote(d.Said)}
		for _, more := range d.More {
			said = append(said, strconv.Quote(more))
		}
		return strings.Join(said, ", ")
	}
	return r.Text
}

// noticeJSON is a notice for machines.
type noticeJSON struct {
	Account   event.Account                 `json:"account"`
	ID        string                        `json:"id"`
	Number    string                        `json:"number,omitempty"` // for nectar notices ack
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
	Next      inspect.Cursor                `json:"next,omitempty"` // of the last one, where the list goes on
}

func (r *noticeRow) forMachines(open bool) noticeJSON {
	details := r.Detailed()
	n := noticeJSON{
		r.Account, r.ID, r.shortNumber(), r.stateText(), r.Who, r.Kind, int64(r.Peer), r.Text, r.Private, &details, r.At.UTC(), r.SentAt.UTC(), r.fates, "",
	}
	if r.Private && !open {
		n.Text, details.Said, details.Answer, details.More, details.Told = words.Private, "", "", nil, nil
	}
	return n
}
