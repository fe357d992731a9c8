package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// Diff is what an edit changes of the campaigns of an account.
type Diff struct {
	account *Account // as it is in force
	next    []*campaigns.Campaign
	campaigns.Diff
}

// slotChange is a kind of change of slots.
type slotChange struct {
	name string // as people read it
	key  string // as machines do
	all  []campaigns.Change
	says func(p *Diff, c *campaigns.Change) string
}

// changes are all kinds, those first that people have to see.
func (d *Diff) changes() []slotChange {
	return []slotChange{
		{"moves", "move", d.Moves, (*Diff).moved},
		{"removes", "removal", d.Removals, func(p *Diff, c *campaigns.Change) string {
			return p.slotOf(c.Was) + print.PrefixText(": ", p.does(c.Was))
		}},
		{"empty", "empty", d.Empty, func(p *Diff, c *campaigns.Change) string {
			return p.slotOf(c.Is) + print.PrefixText(": ", emptyWhy(c.Is))
		}},
		{"approval", "void", d.Voids, (*Diff).voided},
		{"adds", "added", d.Added, func(p *Diff, c *campaigns.Change) string {
			return p.slotOf(c.Is) + print.PrefixText(": ", p.does(c.Is))
		}},
		{"other", "other", d.Others, func(p *Diff, c *campaigns.Change) string {
			if p.isReworded(c) {
				return p.slotOf(c.Is) + ": the text in other words"
			}
			return p.slotOf(c.Is) + ": " + p.does(c.Was) + " → " + p.does(c.Is)
		}},
	}
}

// campaign returns one as it is in force, or as it would be.
func (d *Diff) campaign(id string) *campaigns.Campaign {
	return cmp.Or(campaigns.ByID(d.next, id), d.account.CampaignByID(id))
}

// rowOf is a slot of either plan.
func (d *Diff) rowOf(v *campaigns.Verdict) SlotRow {
	a := Account{Name: d.account.Name, Account: campaigns.Account{Campaigns: []*campaigns.Campaign{d.campaign(v.Slot.ID.Campaign)}}}
	return a.rowOf(v)
}

func (d *Diff) does(v *campaigns.Verdict) string {
	r := d.rowOf(v)
	return r.DoesText()
}

// slotOf names a slot by its day and the minute at which it comes.
func (d *Diff) slotOf(v *campaigns.Verdict) string {
	zone := d.campaign(v.Slot.ID.Campaign).Zone
	return d.nameOf(v) + v.Slot.Minute.In(zone).Format("Mon 2 Jan 15:04")
}

// nameOf names the campaign, where there are several.
func (d *Diff) nameOf(v *campaigns.Verdict) string {
	if len(d.next)+len(d.account.Campaigns) > 2 || len(d.next) == 2 {
		return v.Slot.ID.Campaign + " "
	}
	return ""
}

// moved says from when to when a slot moves.
func (d *Diff) moved(c *campaigns.Change) string {
	zone := d.campaign(c.Is.Slot.ID.Campaign).Zone
	was, is := c.Was.Slot.Minute.In(zone), c.Is.Slot.Minute.In(zone)
	to := is.Format("15:04")
	if was.Format(time.DateOnly) != is.Format(time.DateOnly) {
		to = is.Format("Mon 2 Jan 15:04")
	}
	said := d.nameOf(c.Was) + was.Format("Mon 2 Jan 15:04") + " → " + to
	if a, b := d.does(c.Was), d.does(c.Is); a != b && b != "" {
		said += ", to " + b
	}
	if c.Is.Kind == campaigns.Skip {
		said += ", and stays empty: " + emptyWhy(c.Is)
	}
	return said
}

// emptyWhy says why a slot stays empty: in a word why each of its posts may not come.
func emptyWhy(v *campaigns.Verdict) string {
	if v.Why.Code != campaigns.NoPost || len(v.Others) == 0 {
		return v.Why.String()
	}
	var all []string
	for _, o := range v.Others {
		all = append(all, o.Item.Name()+" not: "+o.Why.String())
	}
	return strings.Join(all, "; ")
}

// voided says what was approved, or asked for, and is asked for again.
func (d *Diff) voided(c *campaigns.Change) string {
	asked := "was prepared for"
	if c.Was.Approved {
		asked = "was approved for"
	}
	r := d.rowOf(c.Was)
	said := fmt.Sprintf("%s %s %s", d.slotOf(c.Was), asked, r.name())
	for _, m := range d.Moves {
		if c.Is == nil && m.Was.Slot.ID == c.Was.Slot.ID {
			c = &m
		}
	}
	switch {
	case c.Is == nil:
		return said + ", and is not there any more"
	case !c.Is.Kind.Publishes():
		return said + ", and stays empty"
	case c.Is.Void.Code != "":
		return said + ", and is asked for again: " + c.Is.Void.String()
	}
	return said + ", and is asked for again"
}

// renamed returns how campaigns change as such: gone, new, and those that are new under another name only.
func (d *Diff) renamed() (lines []string) {
	var gone, fresh []*campaigns.Campaign
	for _, c := range d.account.Campaigns {
		if campaigns.ByID(d.next, c.ID) == nil {
			gone = append(gone, c)
		}
	}
	for _, c := range d.next {
		if d.account.CampaignByID(c.ID) == nil {
			fresh = append(fresh, c)
		}
	}
	for _, c := range gone {
		// A new name alone is easily taken for nothing: what counts for the campaign begins anew with it.
		twin := slices.IndexFunc(fresh, func(n *campaigns.Campaign) bool { return sameItems(c, n) })
		if twin < 0 {
			lines = append(lines, "campaign "+c.ID+" is gone: what it has published stays")
			continue
		}
		lines = append(lines, fmt.Sprintf("campaign %s is called %s: that is a new campaign, whose turns and limits begin anew; posts keep their gap", c.ID, fresh[twin].ID))
		fresh = slices.Delete(fresh, twin, twin+1)
	}
	for _, c := range fresh {
		lines = append(lines, fmt.Sprintf("campaign %s is new, with status %s", c.ID, c.Status))
	}
	for _, c := range d.next {
		for _, was := range d.account.Campaigns {
			if was.ID == c.ID && was.Status != c.Status {
				lines = append(lines, fmt.Sprintf("campaign %s: status %s → %s", c.ID, was.Status, c.Status))
			}
		}
	}
	return lines
}

// reworded says which texts have other words, and what that means for them.
func (d *Diff) reworded() (lines []string) {
	for i := range d.Rewords {
		r := &d.Rewords[i]
		line := fmt.Sprintf("campaign %s has a text in other words: %s. It stays the same text, with its turns and its gap", r.Campaign, r)
		switch {
		case r.Far:
			line += "; if it is another one, give it an id of its own"
		case !r.ByID:
			line += "; nectar campaigns apply --as-new makes it a new one, which comes in its own right"
		}
		lines = append(lines, line)
	}
	return lines
}

// isReworded reports whether a slot has the same text as before, in other words.
func (d *Diff) isReworded(c *campaigns.Change) bool {
	return slices.ContainsFunc(d.Rewords, func(r campaigns.Reword) bool {
		return r.Campaign == c.Was.Slot.ID.Campaign && r.Was.Key == c.Was.Item.Key && r.Is.Key == c.Is.Item.Key && c.Was.Kind == c.Is.Kind
	})
}

// sameItems reports whether two campaigns publish the same.
func sameItems(a, b *campaigns.Campaign) bool {
	if a.Do != b.Do || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		if a.Items[i].Key != b.Items[i].Key {
			return false
		}
	}
	return true
}

// IsEmpty reports whether nothing changes.
func (d *Diff) IsEmpty() bool {
	for _, c := range d.changes() {
		if len(c.all) > 0 {
			return false
		}
	}
	return len(d.renamed()) == 0
}

// MostChanges is how many changes of a kind are shown to people.
const MostChanges = 8

// Print shows it to people. head says what is compared.
func (d *Diff) Print(w io.Writer, head string, width int) error {
	var b strings.Builder
	for _, l := range print.WrapText(head, width) {
		b.WriteString(l + "\n")
	}
	for _, l := range append(d.renamed(), d.reworded()...) {
		b.WriteString(linesOf(print.PlainText(l, 0), width, "  "))
	}
	for _, kind := range d.changes() {
		first := fmt.Sprintf("  %-9s%-4d", kind.name, len(kind.all))
		for i := range kind.all[:min(len(kind.all), MostChanges)] {
			for _, l := range print.WrapText(print.PlainText(kind.says(d, &kind.all[i]), 0), max(width-print.TextWidth(first), print.ReplayNarrow/2)) {
				b.WriteString(first + l + "\n")
				first = strings.Repeat(" ", print.TextWidth(first))
			}
		}
		if more := len(kind.all) - MostChanges; more > 0 {
			fmt.Fprintf(&b, "%sand %d more; --json has all\n", first, more)
		}
	}
	if d.IsEmpty() {
		b.WriteString("  no slot changes\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// changeJSON is a change for machines.
type changeJSON struct {
	Account event.Account `json:"account"`
	Change  string        `json:"change"` // move, removal, empty, void, added, other; campaign, reword
	Says    string        `json:"says"`
	Was     *SlotJSON     `json:"was,omitempty"`
	Is      *SlotJSON     `json:"is,omitempty"`
	Text    *rewordJSON   `json:"text,omitempty"` // of reword
}

// rewordJSON are the words of a text before and after an edit.
type rewordJSON struct {
	Was string `json:"was"`
	Is  string `json:"is"`
}

// ForMachines prints it, a line for each change.
func (d *Diff) ForMachines(w io.Writer) error {
	for _, l := range d.renamed() {
		if err := print.WriteLine(w, changeJSON{Account: d.account.Name, Change: "campaign", Says: l}); err != nil {
			return err
		}
	}
	for i, l := range d.reworded() {
		r := &d.Rewords[i]
		if err := print.WriteLine(w, changeJSON{Account: d.account.Name, Change: "reword", Says: l, Text: &rewordJSON{r.Was.Text, r.Is.Text}}); err != nil {
			return err
		}
	}
	for _, kind := range d.changes() {
		for i := range kind.all {
			c := &kind.all[i]
			x := changeJSON{Account: d.account.Name, Change: kind.key, Says: kind.says(d, c)}
			for _, side := range []struct {
				v  *campaigns.Verdict
				to **SlotJSON
			}{{c.Was, &x.Was}, {c.Is, &x.Is}} {
				if side.v != nil {
					r := d.rowOf(side.v)
					s := r.ForMachines()
					*side.to = &s
				}
			}
			if err := print.WriteLine(w, x); err != nil {
				return err
			}
		}
	}
	return nil
}
