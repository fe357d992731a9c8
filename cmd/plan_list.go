package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// planList lists the slots of a plan, each with why it is as it is.
type planList struct {
	rows  []planRow
	show  days
	width int
	many  bool // several campaigns
}

// write lists them.
func (p *planList) write(w io.Writer) error {
	if len(p.rows) == 0 {
		_, err := fmt.Fprintln(w, "no slots")
		return err
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
			widths[i] = max(widths[i], wide(c))
		}
	}
	var b strings.Builder
	for n, row := range cells {
		for i, c := range row {
			if widths[i] > 0 {
				b.WriteString(padded(c, widths[i]+1) + " ")
			}
		}
		trimLine(&b)
		if n == 0 {
			continue
		}
		for _, note := range p.rows[n-1].notes() {
			for _, l := range linesOf(plain(note, 0), p.width, "    ") {
				b.WriteString(l + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
func (p *planList) cells(r *planRow) []string {
	day := r.id.Day.At(0, time.UTC)
	slot := day.Format("Mon 02 Jan")
	if p.show.from.Year != p.show.to.Year {
		slot = day.Format("Mon 02 Jan 2006")
	}
	slot += " " + r.id.Clock.String()
	if p.many {
		slot = r.id.Campaign + " " + slot
	}
	leaves, utc := r.at.In(r.zone).Format("15:04"), r.at.UTC().Format("15:04")
	if r.state == slotPlanned && !r.until.IsZero() {
		leaves += " … " + r.until.In(r.zone).Format("15:04")
		if r.until.Sub(r.at) >= 24*time.Hour {
			leaves += r.until.In(r.zone).Format(" Mon")
		}
	}
	if r.state == slotEmpty {
		leaves, utc = "", ""
	}
	post := string(r.mark()) + " " + r.name()
	if r.state == slotEmpty {
		post = string(r.mark()) + " empty"
	}
	by := ""
	switch {
	case r.approved && r.state == slotPlanned:
		by = "approved"
	case r.approve && r.state == slotPlanned:
		by = r.deadline.In(r.zone).Format("Mon 15:04")
		if r.deadline.In(r.zone).Format("02 Jan") == day.Format("02 Jan") {
			by = r.deadline.In(r.zone).Format("15:04")
		}
	}
	return []string{plain(slot, 0), leaves, utc, plain(post, 44), r.nthOf(), by}
}

// notes say why a slot is as it is.
func (r *planRow) notes() []string {
	var all []string
	if r.void != "" {
		all = append(all, "asked for again: "+r.void)
	}
	if r.state == slotPlanned && r.found != "" {
		when := "24 h before its approval is over, on " + r.ask.In(r.zone).Format("Mon 2 January 15:04")
		if r.ask.Before(time.Now()) {
			when = "at the bot's next look"
		}
		all = append(all, "found "+when)
	}
	if r.why != "" && (r.state == slotEmpty || r.state == slotFailed) {
		all = append(all, r.why)
	}
	return append(all, r.others...)
}
