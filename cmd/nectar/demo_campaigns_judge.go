package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// shopReport is the verdict about the campaigns of a demo. The platform counts what was published; the bot's books say for which slot,
// and why a slot stayed empty.
type shopReport struct {
	Campaigns  int      `json:"campaigns"`
	Slots      int      `json:"slots"`
	Published  int      `json:"published"`
	Renewed    int      `json:"renewed"`
	Empty      int      `json:"empty"` // with a reason in the book
	Doubled    int      `json:"doubled"`
	Twice      int      `json:"slots_twice"`
	Lost       int      `json:"lost_after_undo"`
	TooClose   int      `json:"too_close"`
	Late       int      `json:"late"`
	Unapproved int      `json:"unapproved"`
	Untold     int      `json:"untold"`  // slots of which nobody knows what became, and publications that no book has
	Hand       int      `json:"by_hand"` // slots that stayed empty for what somebody did by hand: nobody does in a demo
	OK         bool     `json:"ok"`
	Details    []string `json:"details,omitempty"`
	Reasons    []string `json:"reasons,omitempty"` // why slots stayed empty, as often
}

// shopBooks is what the bot's books say.
type shopBooks struct {
	slot  map[platform.PostID][]time.Time // for which the bot has published a post
	empty map[string]int                  // reasons
	open  int                             // slots that are not over
	hand  []string                        // slots that stayed empty for what somebody did by hand
}

// books reads them.
func (sh *shopping) books(ctx context.Context, desk *store.Desk) (shopBooks, error) {
	b := shopBooks{slot: map[platform.PostID][]time.Time{}, empty: map[string]int{}}
	for i := range sh.st.campaigns {
		c := &sh.st.campaigns[i]
		said := map[string]store.Entry{}
		for after := ""; ; {
			entries, err := desk.Entries(ctx, c.Account, "campaigns/"+c.ID, after, 1000)
			if err != nil {
				return b, err
			}
			for _, e := range entries {
				said[e.Key], after = e, e.Key
			}
			if len(entries) < 1000 {
				break
			}
		}
		for _, at := range c.slots() {
			if err := b.add(c.name(at), at, said); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

// add adds what became of a slot.
func (b *shopBooks) add(name string, at time.Time, said map[string]store.Entry) error {
	decided, known := said[name]
	end, ended := said[name+"#end"]
	var what struct{ Post int64 }
	switch {
	case known && !strings.HasPrefix(decided.Text, "go"):
		b.empty[emptyBecause(decided.Text)]++
		if strings.Contains(decided.Text, "by hand") {
			b.hand = append(b.hand, fmt.Sprintf("%s: %s", name, decided.Text))
		}
	case !ended:
		b.open++
	case end.Text != "done":
		b.empty[emptyBecause(end.Text)]++
	default:
		if err := json.Unmarshal(decided.Data, &what); err != nil {
			return fmt.Errorf("read the book: %w", err)
		}
		post := platform.PostID(what.Post)
		b.slot[post] = append(b.slot[post], at)
	}
	return nil
}

// emptyBecause is why a slot stayed empty, without what is the slot's alone.
func emptyBecause(text string) string {
	for _, cut := range []string{": 2", " on ", " until ", " by ", " at ", ";"} {
		text, _, _ = strings.Cut(text, cut)
	}
	return text
}

// judge compares the ledger with what was to be.
func (sh *shopping) judge(ctx context.Context) (r *shopReport, err error) {
	desk, err := store.OpenDesk(ctx, sh.st.database(), sh.st.settings().key())
	if err != nil {
		return nil, err
	}
	defer func() { _ = desk.Close() }()
	b, err := sh.books(ctx, desk)
	if err != nil {
		return nil, err
	}
	r = &shopReport{Campaigns: len(sh.st.campaigns), Untold: b.open, Hand: len(b.hand), Details: b.hand}
	for why, n := range b.empty {
		r.Empty += n
		r.Reasons = append(r.Reasons, fmt.Sprintf("%d × %s", n, why))
	}
	slices.Sort(r.Reasons)
	last := map[event.Account][]time.Time{}
	for i := range sh.st.campaigns {
		c := &sh.st.campaigns[i]
		r.Slots += c.Slots
		for _, post := range c.Posts {
			last[c.Account] = append(last[c.Account], sh.post(r, c, post, b.slot[post])...)
		}
	}
	for account, all := range last {
		slices.SortFunc(all, time.Time.Compare)
		for i := 1; i < len(all); i++ {
			if d := all[i].Sub(all[i-1]); d < demoApart-demoNear {
				r.TooClose++
				r.Details = append(r.Details, fmt.Sprintf("too close: %s published after %v, at %s", account, d, all[i].Format(time.TimeOnly)))
			}
		}
	}
	r.OK = r.Doubled+r.Twice+r.Lost+r.TooClose+r.Late+r.Unapproved+r.Untold+r.Hand == 0 && r.Published > 0
	return r, nil
}

// demoNear is how much later a request may arrive than it left.
const demoNear = demoDeadline + demoGrace

// post looks at what became of a post, and returns when it was published: reposted, or reposted anew.
func (sh *shopping) post(r *shopReport, c *demoCampaign, post platform.PostID, slots []time.Time) (at []time.Time) {
	undone := 0
	for _, e := range sh.st.platform.Ledger().Since(0) {
		switch {
		case !e.ByAPI || e.Post != post || e.From != sh.st.shops[c.Account]:
		case e.Kind == emulator.Unreposted:
			undone++
		case e.Kind == emulator.Reposted:
			at = append(at, e.At)
		}
	}
	bad := func(n *int, format string, args ...any) {
		*n++
		r.Details = append(r.Details, fmt.Sprintf("%d of %s: ", post, c.ID)+fmt.Sprintf(format, args...))
	}
	r.Published += len(at)
	r.Renewed += max(len(at)-1, 0)
	switch {
	case c.Kind != shopRenews && (len(at) > 1 || undone > 0):
		bad(&r.Doubled, "doubled: reposted %d times, taken back %d times", len(at), undone)
	case undone > 0 && undone >= len(at):
		bad(&r.Lost, "lost after its undo")
	}
	slices.SortFunc(slots, time.Time.Compare)
	if n := len(slots); n != len(slices.Compact(slots)) {
		bad(&r.Twice, "published twice for a slot: %d times in all", n)
	}
	if len(slots) != len(at) {
		bad(&r.Untold, "published %d times, and the book says %d", len(at), len(slots))
		return at
	}
	for i, t := range at {
		if i > 0 && t.Sub(at[i-1]) < demoApart-demoNear {
			bad(&r.Doubled, "doubled: again after %v", t.Sub(at[i-1]))
		}
		if d := t.Sub(slots[i]); d < 0 || d > demoTolerance+demoNear && i == 0 {
			bad(&r.Late, "at %s, for the slot of %s", t.Format(time.TimeOnly), slots[i].Format(time.TimeOnly))
		}
		if asked := c.Kind == shopAsks || i > 0; asked && !sh.approvedBy(post, t, slots[i]) {
			bad(&r.Unapproved, "at %s, and nobody has approved it", t.Format(time.TimeOnly))
		}
	}
	return at
}

// approvedBy tells whether somebody has approved that a post comes in a slot, before it came.
func (sh *shopping) approvedBy(post platform.PostID, came, slot time.Time) bool {
	return slices.ContainsFunc(sh.approved, func(a approval) bool {
		return a.post == post && a.given.Before(came) && a.until.Equal(slot.Add(demoTolerance))
	})
}

// print writes the verdict for people.
func (r *shopReport) print(out io.Writer) error {
	word := "ALL CLEAR: nothing doubled, nothing lost, nothing out of its time."
	if !r.OK {
		word = "NOT CLEAR:"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe platform's verdict about %d campaigns\n", r.Campaigns)
	fmt.Fprintf(&b, "  slots %d: published %d, of them renewed %d; empty with a reason %d, of which nobody knows %d\n", r.Slots, r.Published, r.Renewed, r.Empty, r.Untold)
	fmt.Fprintf(&b, "  doubled %d, slots twice %d, lost after an undo %d, too close %d, late %d, unapproved %d, by hand %d\n", r.Doubled, r.Twice, r.Lost, r.TooClose, r.Late, r.Unapproved, r.Hand)
	for _, why := range r.Reasons {
		fmt.Fprintf(&b, "  empty: %s\n", why)
	}
	fmt.Fprintf(&b, "%s\n", word)
	for _, d := range r.Details {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("print the verdict: %w", err)
	}
	return nil
}
