package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/words"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
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
		return print.WriteLines(d.Out, rows, func(r *noticeRow) any {
			line := r.forMachines(d.Private)
			if r == &rows[len(rows)-1] {
				line.Next = l.next
			}
			return line
		})
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

// CallTeams calls a team of that name, of any folder that has one.
func CallTeams(ctx context.Context, out io.Writer, cfg config.Config, folders []config.RuleFolder, name string) error {
	var names []string
	var failed error
	found := false
	for _, f := range folders {
		c, err := sources.CallingOf(sources.ReadingFrom(ctx, cfg), f)
		if err != nil {
			return err
		}
		for i := range c.Teams {
			names = append(names, c.Teams[i].Name)
			if c.Teams[i].Name == name {
				found = true
				failed = errors.Join(failed, callTeam(ctx, out, cfg, &c, &c.Teams[i], f.Path))
			}
		}
	}
	if !found {
		return noTeam(names, name)
	}
	return failed
}

// callTeam sends a notice to each address of a team, and says what came back.
func callTeam(ctx context.Context, out io.Writer, cfg config.Config, c *rules.Calling, team *rules.CalledTeam, folder string) error {
	name := team.Name
	if len(team.Addresses) == 0 {
		return fmt.Errorf("the team %s has no address: write who: { %s: [\"ntfy://ntfy.sh/TOPIC\"] } in %s", name, name, filepath.Join(folder, rules.SettingsFile))
	}
	client := sources.NewCaller(c, cfg)
	defer client.Close()
	now, vain := time.Now(), false
	for j := range team.Addresses {
		a := &team.Addresses[j]
		d := notify.Digest{Notices: []notify.Notice{{
			ID: fmt.Sprintf("test/%d", now.UnixMicro()), Who: name, Kind: notify.KindTest, At: now,
			Text: "This is how the team " + name + " is called. Nobody has to do anything.",
		}}}
		said := "taken"
		if err := client.Send(ctx, &a.Address, &d); err != nil {
			vain, said = true, "FAILED: "+err.Error()
		}
		if _, err := fmt.Fprintf(out, "%s  %s\n", a.String(), print.PlainText(said, 0)); err != nil {
			return err
		}
	}
	if vain {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}

// noTeam says that there is no such team, and which one may be meant.
func noTeam(names []string, name string) error {
	if near := textfile.NearestWord(name, names); near != "" {
		return fmt.Errorf("there is no team %q in settings.yaml; did you mean %q?", name, near)
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no team %q: settings.yaml names none under who", name)
	}
	return fmt.Errorf("there is no team %q in settings.yaml; there are %v", name, names)
}

// ackWithin is how old a notice may be that somebody takes, and mostAcked how many are looked at.
const (
	ackWithin = 30 * 24 * time.Hour
	mostAcked = 100_000
)

// AcknowledgeWait says that the one who decides sees to the person that a notice is about, by its number or id.
func (v *View) AcknowledgeWait(ctx context.Context, number string, wait time.Duration) error {
	notices, err := v.Notices(ctx, record.NoticeQuery{Since: time.Now().Add(-ackWithin), Limit: mostAcked})
	if err != nil {
		return err
	}
	var found *event.Notice
	for i := range notices {
		n := &notices[i]
		if numberOf(n) != number && n.ID != number || len(v.Meant) > 0 && !slices.Contains(v.Meant, n.Account) {
			continue
		}
		if found != nil && (found.Account != n.Account || found.Peer != n.Peer) {
			return fmt.Errorf("%s is the number of several notices: write the id instead, like %s; nectar notices --json shows it", number, found.ID)
		}
		found = n
	}
	switch {
	case found == nil:
		return fmt.Errorf("there is no notice %q; nectar notices lists them with their numbers", print.PlainText(number, 40))
	case found.Peer == 0:
		return fmt.Errorf("the notice %s is about nobody: there is nobody to see to", number)
	}
	about := print.PersonName(found.Detailed().User, int64(found.Peer))
	return v.AskDecisions(ctx, wait, []Decision{{Request: event.Request{Key: event.Key{Account: found.Account, Peer: found.Peer}, Wish: event.WishAck}, About: about}})
}
