package cmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
)

// slotJSON is a slot for machines. Times are UTC.
type slotJSON struct {
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
}

func (r *planRow) forMachines() slotJSON {
	s := slotJSON{
		Account: r.account, Campaign: r.id.Campaign, Slot: r.id.String(), Timezone: r.zone.String(), Minute: r.minute.UTC(), Until: r.until.UTC(), State: r.state,
		Do: r.do, Renew: r.renew, Post: r.post, Find: r.found, Text: r.text, Nth: r.nth, Of: r.of,
		Approve: r.approve, Approved: r.approved, AskedAt: r.ask.UTC(), ApproveBy: r.deadline.UTC(), Why: r.why, Others: r.others, Void: r.void, Turn: r.turn,
	}
	if r.state != slotEmpty {
		s.At = r.at.UTC()
	}
	return s
}

// machines writes the slots of accounts, nil for all, as JSON, as a calendar or as a table.
func (f *planFlags) machines(w io.Writer, rows []planRow, planned []event.Account, show days, now time.Time) error {
	if f.json {
		for i := range rows {
			if err := printLine(w, rows[i].forMachines()); err != nil {
				return err
			}
		}
		return nil
	}
	if f.csv != "" {
		var b bytes.Buffer
		if err := writeCSV(&b, planTable(rows)); err != nil {
			return err
		}
		return writePlan(w, f.csv, b.Bytes(), len(rows))
	}
	old, err := readPlan(f.ics)
	if err != nil {
		return err
	}
	calendar, err := planICS(rows, old, f.covers(planned, show), now)
	if err != nil {
		return fmt.Errorf("%s: %w", f.ics, err)
	}
	return writePlan(w, f.ics, calendar, len(rows))
}

// covers tells of a slot whether it would be in a plan if it were still there: other campaigns, accounts and days may be in the same
// calendar. planned are the accounts that were planned, nil for all.
func (f *planFlags) covers(planned []event.Account, show days) func(event.Account, campaigns.SlotID) bool {
	return func(account event.Account, id campaigns.SlotID) bool {
		return show.has(id.Day) && (planned == nil || slices.Contains(planned, account)) && (f.campaign == "" || f.campaign == id.Campaign)
	}
}

// planTable is the slots as a table.
func planTable(rows []planRow) [][]string {
	lines := [][]string{{"account", "campaign", "slot", "day", "clock", "timezone", "leaves", "leaves_utc", "until_utc", "state", "do", "post", "text", "nth", "of", "approve_by_utc", "why"}}
	for i := range rows {
		r := &rows[i]
		leaves, utc := "", ""
		if r.state != slotEmpty {
			leaves, utc = r.at.In(r.zone).Format("2006-01-02 15:04"), utcTime(r.at)
		}
		do, post := string(r.do), r.name()
		if r.renew {
			do = "renew"
		}
		if r.do == campaigns.Publish {
			post = ""
		}
		lines = append(lines, []string{
			string(r.account), r.id.Campaign, r.id.String(), r.id.Day.String(), r.id.Clock.String(), r.zone.String(), leaves, utc, utcTime(r.until),
			string(r.state), do, post, r.text, above0(r.nth), above0(r.of), utcTime(r.deadline), r.why,
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

func above0(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
