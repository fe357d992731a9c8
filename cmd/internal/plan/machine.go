package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// SlotJSON is a slot for machines. Times are UTC.
type SlotJSON struct {
	Account   event.Account   `json:"account"`
	Campaign  string          `json:"campaign"`
	Slot      string          `json:"slot"`
	Timezone  string          `json:"timezone"`
	Minute    time.Time       `json:"minute"`          // when it comes, with its jitter
	At        time.Time       `json:"at,omitzero"`     // when it leaves, or left
	Until     time.Time       `json:"until,omitzero"`  // it never leaves after that
	State     slotState       `json:"state"`           // planned, going, done, failed, watched, empty
	Do        campaigns.Doing `json:"do,omitempty"`    // repost, publish
	Renew     bool            `json:"renew,omitempty"` // it is taken back, and reposted
	Post      platform.PostID `json:"post,omitempty"`
	Find      string          `json:"find,omitempty"` // the post is still to be found: of whom, with which hashtag
	Text      string          `json:"text,omitempty"`
	Nth       int             `json:"nth,omitempty"` // the how manieth time this post comes
	Of        int             `json:"of,omitempty"`
	Approve   bool            `json:"approve,omitempty"` // a person has to approve it
	Approved  bool            `json:"approved,omitempty"`
	AskedAt   time.Time       `json:"asked_at,omitzero"`
	ApproveBy time.Time       `json:"approve_by,omitzero"`
	Why       string          `json:"why,omitempty"`
	Others    []string        `json:"others,omitempty"`
	Void      string          `json:"void,omitempty"`
	Turn      string          `json:"turn,omitempty"`

	// What the book has of a slot that is over: see nectar campaigns show.
	LeftAt     time.Time `json:"left_at,omitzero"` // on the platform
	Address    string    `json:"address,omitempty"`
	ApprovedAt time.Time `json:"approved_at,omitzero"`
	ApprovedBy string    `json:"approved_by,omitempty"`
}

// ForMachines returns the row as other programs read it.
func (r *SlotRow) ForMachines() SlotJSON {
	s := SlotJSON{
		Account: r.Account, Campaign: r.ID.Campaign, Slot: r.ID.String(), Timezone: r.Zone.String(), Minute: r.Minute.UTC(), Until: r.until.UTC(), State: r.State,
		Do: r.Do, Renew: r.renew, Post: cmp.Or(r.post, r.made), Find: r.found, Text: r.Text, Nth: r.nth, Of: r.of,
		Approve: r.Approve, Approved: r.Approved, AskedAt: r.Ask.UTC(), ApproveBy: r.Deadline.UTC(), Why: r.Why, Others: r.Others, Void: r.Void, Turn: r.Turn,
		LeftAt: r.Left.UTC(), Address: r.Address, ApprovedAt: r.approvedAt.UTC(), ApprovedBy: r.approvedBy,
	}
	if r.State != slotEmpty {
		s.At = r.At.UTC()
	}
	return s
}

// WriteForMachines writes the slots of accounts, nil for all, as JSON, as a calendar or as a table.
func (f *Flags) WriteForMachines(w io.Writer, rows []SlotRow, planned []event.Account, show Days, now time.Time) error {
	if f.JSON {
		return print.WriteLines(w, rows, func(r *SlotRow) any { return r.ForMachines() })
	}
	if f.CSV != "" {
		return f.writeTable(w, rows)
	}
	old, err := readPlan(f.ICS)
	if err != nil {
		return err
	}
	calendar, err := WriteICS(rows, old, f.covers(planned, show), now)
	if err != nil {
		return fmt.Errorf("%s: %w", f.ICS, err)
	}
	return writePlan(w, f.ICS, calendar, len(rows))
}

// writeTable writes the slots as a table, in the place of one that was written before and of no other file.
func (f *Flags) writeTable(w io.Writer, rows []SlotRow) error {
	lines := planTable(rows)
	var ours, b bytes.Buffer
	if err := errors.Join(print.WriteCSV(&ours, [][]string{lines[0][:3]}, true), print.WriteCSV(&b, lines, f.NoBOM)); err != nil {
		return err
	}
	old, err := readPlan(f.CSV)
	if err != nil {
		return err
	}
	old = bytes.TrimPrefix(old, []byte(print.ByteOrderMark))
	// Columns may come to it; its first ones stay.
	if len(bytes.TrimSpace(old)) > 0 && !bytes.HasPrefix(old, bytes.TrimSpace(ours.Bytes())) {
		return fmt.Errorf("%s: it is there, and is no table of a plan: name another file", f.CSV)
	}
	return writePlan(w, f.CSV, b.Bytes(), len(rows))
}

// covers tells of a slot whether it would be in a plan if it were still there: other campaigns, accounts and days may be in the same
// calendar. planned are the accounts that were planned, nil for all.
func (f *Flags) covers(planned []event.Account, show Days) func(event.Account, campaigns.SlotID) bool {
	return func(account event.Account, id campaigns.SlotID) bool {
		return show.has(id.Day) && (planned == nil || slices.Contains(planned, account)) && (f.Campaign == "" || f.Campaign == id.Campaign)
	}
}

// planTable is the slots as a table.
func planTable(rows []SlotRow) [][]string {
	lines := [][]string{{"account", "campaign", "slot", "day", "clock", "timezone", "leaves", "leaves_utc", "until_utc", "state", "do", "post", "text", "nth", "of", "approve_by_utc", "why", "left_utc", "address", "approved_by", "approved_utc"}}
	for i := range rows {
		r := &rows[i]
		leaves, utc := "", ""
		if r.State != slotEmpty {
			leaves, utc = r.At.In(r.Zone).Format("2006-01-02 15:04"), utcTime(r.At)
		}
		do, post := string(r.Do), r.name()
		if r.renew {
			do = "renew"
		}
		if r.Do == campaigns.Publish {
			post = numberOrNothing(int(r.made))
		}
		lines = append(lines, []string{
			string(r.Account), r.ID.Campaign, r.ID.String(), r.ID.Day.String(), r.ID.Clock.String(), r.Zone.String(), leaves, utc, utcTime(r.until),
			string(r.State), do, post, r.Text, numberOrNothing(r.nth), numberOrNothing(r.of), utcTime(r.Deadline), r.Why,
			utcTime(r.Left), r.Address, r.approvedBy, utcTime(r.approvedAt),
		})
	}
	return lines
}

func utcTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func numberOrNothing(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
