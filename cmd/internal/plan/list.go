package plan

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// planList lists the slots of a plan, each with why it is as it is.
type planList struct {
	rows  []SlotRow
	show  Days
	width int
	many  bool // several campaigns
}

// write lists them.
func (p *planList) write(b *strings.Builder) {
	if len(p.rows) == 0 {
		b.WriteString("no slots\n")
		return
	}
	cells := [][]string{{"SLOT", "LEAVES", "UTC", "POST", "", "APPROVE BY"}}
	for i := range p.rows {
		cells = append(cells, p.cells(&p.rows[i]))
	}
	if len(strings.Join(column(cells, 5)[1:], "")) == 0 {
		for i := range cells {
			cells[i] = cells[i][:5]
		}
	}
	widths := make([]int, len(cells[0]))
	for i := range widths {
		for _, c := range column(cells, i) {
			widths[i] = max(widths[i], print.TextWidth(c))
		}
	}
	for n, row := range cells {
		var line strings.Builder
		for i, c := range row {
			if widths[i] > 0 {
				line.WriteString(padText(c, widths[i]+1) + " ")
			}
		}
		writeTrimmed(b, line.String())
		if n == 0 {
			continue
		}
		for _, note := range p.rows[n-1].NotesText() {
			b.WriteString(linesOf(print.PlainText(note, 0), p.width, "    "))
		}
	}
}

func column(cells [][]string, i int) []string {
	all := make([]string, len(cells))
	for n := range cells {
		if i < len(cells[n]) {
			all[n] = cells[n][i]
		}
	}
	return all
}

// cells are the columns of a slot.
func (p *planList) cells(r *SlotRow) []string {
	day := r.ID.Day.At(0, time.UTC)
	slot := day.Format("Mon 02 Jan")
	if p.show.From.Year != p.show.To.Year {
		slot = day.Format("Mon 02 Jan 2006")
	}
	slot += " " + r.ID.Clock.String()
	if p.many {
		slot = r.ID.Campaign + " " + slot
	}
	leaves, utc := r.At.In(r.Zone).Format("15:04"), r.At.UTC().Format("15:04")
	if r.State == SlotPlanned && !r.until.IsZero() {
		leaves += " … " + r.until.In(r.Zone).Format("15:04")
		if r.until.Sub(r.At) >= 24*time.Hour {
			leaves += r.until.In(r.Zone).Format(" Mon")
		}
	}
	if r.Day() != r.ID.Day {
		leaves = r.Day().At(0, time.UTC).Format("Mon 2 Jan ") + leaves
	}
	if r.State == slotEmpty {
		leaves, utc = "", ""
	}
	post := string(r.slotMark()) + " " + r.name()
	if r.State == slotEmpty {
		post = string(r.slotMark()) + " empty"
	}
	by := ""
	switch {
	case r.Approved && r.State == SlotPlanned:
		by = "approved"
	case r.Approve && r.State == SlotPlanned:
		by = r.Deadline.In(r.Zone).Format("Mon 15:04")
		if r.Deadline.In(r.Zone).Format("02 Jan") == day.Format("02 Jan") {
			by = r.Deadline.In(r.Zone).Format("15:04")
		}
	}
	return []string{print.PlainText(slot, 0), leaves, utc, print.PlainText(post, 44), r.NthOf(), by}
}

// NotesText say why a slot is as it is.
func (r *SlotRow) NotesText() []string {
	var all []string
	if r.Void != "" {
		all = append(all, "asked for again: "+r.Void)
	}
	if r.State == SlotPlanned && r.found != "" {
		when := "24 h before its approval is over, on " + r.Ask.In(r.Zone).Format("Mon 2 January 15:04")
		if r.Ask.Before(time.Now()) {
			when = "at the bot's next look"
		}
		all = append(all, "found "+when)
	}
	if r.Why != "" && (r.State == slotEmpty || r.State == SlotFailed) {
		all = append(all, r.Why)
	}
	return append(all, r.Others...)
}
