package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// ShopReport is the verdict about the campaigns of a demo. The platform's ledger is the judge; the bot's books have to say the same, and
// why a slot stayed empty.
type ShopReport struct {
	Campaigns  int     `json:"campaigns"`
	Slots      int     `json:"slots"`
	Published  int     `json:"published"`
	Renewed    int     `json:"renewed"`
	Empty      int     `json:"empty"`         // with a reason in the book
	Approved   int     `json:"approved"`      // by the person of the demo
	Withheld   int     `json:"not_approved"`  // of which she said nothing
	Kills      int     `json:"kills"`         // of the bot
	Between    int     `json:"kills_between"` // that fell between the undo and the repost of a renewal
	NotBack    int     `json:"kills_between_not_reposted"`
	Longest    float64 `json:"longest_undone_s"` // between the undo and the repost of a renewal, in seconds
	Doubled    int     `json:"doubled"`
	Twice      int     `json:"slots_twice"`
	Lost       int     `json:"lost_after_undo"`
	TooClose   int     `json:"too_close"`
	Late       int     `json:"late"` // or early
	Unapproved int     `json:"unapproved"`
	Untold     int     `json:"untold"`  // slots of which nobody knows what became, and posts of which the book says something else
	Hand       int     `json:"by_hand"` // slots that stayed empty for what somebody did by hand: nobody does in a demo
	ChangesReport
	OK      bool     `json:"ok"`
	Details []string `json:"details,omitempty"`
	Reasons []string `json:"reasons,omitempty"` // why slots stayed empty, as often
}

// noteBad counts what may not be.
func (r *ShopReport) noteBad(n *int, format string, args ...any) {
	*n++
	r.Details = append(r.Details, fmt.Sprintf(format, args...))
}

// clear reports whether all is well.
func (r *ShopReport) clear() bool {
	return r.Doubled+r.Twice+r.Lost+r.NotBack+r.TooClose+r.Late+r.Unapproved+r.Untold+r.Hand+r.WhileWrong+r.Unexpected+r.Missing == 0 && r.Published > 0
}

// noteAway takes over how long a repost was away.
func (r *ShopReport) noteAway(d time.Duration) { r.Longest = max(r.Longest, d.Seconds()) }

// print writes the verdict for people.
func (r *ShopReport) print(out io.Writer) error {
	word := "ALL CLEAR: nothing doubled, nothing lost, nothing out of its time."
	if !r.OK {
		word = "NOT CLEAR:"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe platform's verdict about %d campaigns\n", r.Campaigns)
	fmt.Fprintf(&b, "  slots %d: published %d, of them renewed %d; empty with a reason %d, of which nobody knows %d\n", r.Slots, r.Published, r.Renewed, r.Empty, r.Untold)
	fmt.Fprintf(&b, "  a person approved %d, and said nothing of %d\n", r.Approved, r.Withheld)
	if r.Kills > 0 {
		back := "all reposted"
		if r.NotBack > 0 {
			back = fmt.Sprintf("after %d of them not reposted", r.NotBack)
		}
		fmt.Fprintf(&b, "  kills %d; between an undo and its repost: %d, %s\n", r.Kills, r.Between, back)
	}
	if r.Corrected+r.Edited+r.Moved+r.TooLate > 0 {
		fmt.Fprintf(&b, "  changed meanwhile: texts corrected %d, slots added or taken away %d, slots moved %d; changed too late to tell %d\n", r.Corrected, r.Edited, r.Moved, r.TooLate)
	}
	if r.Clocks > 0 {
		fmt.Fprintf(&b, "  wrong clocks %d, while %d slots were due: published meanwhile %d\n", r.Clocks, r.Held, r.WhileWrong)
	}
	if r.Renewed > 0 {
		fmt.Fprintf(&b, "  a renewed repost was away for %.1f s at most\n", r.Longest)
	}
	fmt.Fprintf(&b, "  doubled %d, slots twice %d, lost after an undo %d, too close %d, late %d, unapproved %d, by hand %d, unexpected %d, missing %d\n", r.Doubled, r.Twice, r.Lost, r.TooClose, r.Late, r.Unapproved, r.Hand, r.Unexpected, r.Missing)
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
