package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
)

// planMark is how a slot is shown in a calendar.
type planMark string

// The marks.
const (
	markRepost  planMark = "R"
	markRenew   planMark = "↻"
	markText    planMark = "T"
	markFound   planMark = "?"
	markEmpty   planMark = "–"
	markClose   planMark = "×"
	markDone    planMark = "✓"
	markFailed  planMark = "!"
	markGoing   planMark = "»"
	markWatched planMark = "w"
)

// marks are all of them with what they mean, in the order in which they are explained.
var marks = []struct {
	mark planMark
	says string
}{
	{markRepost, "repost"},
	{markRenew, "renew (undo, then repost)"},
	{markText, "own post"},
	{markFound, "found 24 h before"},
	{markWatched, "would, but for status watch"},
	{markDone, "done"},
	{markGoing, "on its way"},
	{markFailed, "not done"},
	{markEmpty, "empty"},
	{markClose, "too close"},
}

// slotMark is how the slot is shown.
func (r *SlotRow) slotMark() planMark {
	switch {
	case r.close:
		return markClose
	case r.State == slotEmpty:
		return markEmpty
	case r.State == SlotDone:
		return markDone
	case r.State == SlotFailed:
		return markFailed
	case r.State == SlotGoing:
		return markGoing
	case r.State == SlotWatched:
		return markWatched
	case r.found != "":
		return markFound
	case r.Do == campaigns.Publish:
		return markText
	case r.renew:
		return markRenew
	default:
		return markRepost
	}
}

// planCalendar draws the days of a plan.
type planCalendar struct {
	account *Account
	rows    []SlotRow
	show    Days
	width   int
	letters map[string]string // of campaigns, where there are several
}

const (
	weekdayNames = "MonTueWedThuFriSatSun"
	narrowCell   = 11 // what a day takes at least
	widePost     = 16 // from this width on, a day has room for the post, too
)

// write draws it.
func (p *planCalendar) write(b *strings.Builder) {
	cell := max(narrowCell, min((p.width-1)/7, 24))
	var head strings.Builder
	for i := range 7 {
		head.WriteString(padText(" "+weekdayNames[3*i:3*i+3], cell))
	}
	writeTrimmed(b, head.String())
	first := p.show.From.At(12*60, time.UTC)
	for day := first.AddDate(0, 0, -(int(first.Weekday())+6)%7); !day.After(p.show.To.At(12*60, time.UTC)); day = day.AddDate(0, 0, 7) {
		p.week(b, day, cell)
	}
	for _, l := range packed(p.legend(), p.width-1) {
		b.WriteString(" " + l + "\n")
	}
}

// week draws seven days.
func (p *planCalendar) week(b *strings.Builder, monday time.Time, cell int) {
	var of [7][]string
	lines := 0
	for i := range of {
		d := text.DayOf(monday.AddDate(0, 0, i))
		if p.show.has(d) {
			of[i] = p.day(d, cell)
		}
		lines = max(lines, len(of[i]))
	}
	for n := range lines {
		var line strings.Builder
		for i := range of {
			s := ""
			if n < len(of[i]) {
				s = of[i][n]
			}
			line.WriteString(padText(s, cell))
		}
		writeTrimmed(b, line.String())
	}
}

// day is what stands in a day: its number, then its slots, each on a line.
func (p *planCalendar) day(d text.Day, cell int) []string {
	var parts []string
	for i := range p.rows {
		if r := &p.rows[i]; r.Day() == d {
			parts = append(parts, p.slot(r, cell-4))
		}
	}
	for _, z := range p.zones() {
		if by := clockChange(d, z); by != 0 {
			parts = append(parts, signed(by))
		}
	}
	for _, c := range p.campaigns() {
		if c.Ends == d {
			parts = append(parts, strings.TrimSpace("end "+p.letters[c.ID]))
		}
	}
	if len(parts) == 0 {
		parts = []string{""}
	}
	for i := range parts {
		number := "  "
		if i == 0 {
			number = fmt.Sprintf("%2d", d.Day)
		}
		parts[i] = " " + strings.TrimRight(number+" "+parts[i], " ")
	}
	return parts
}

// slot is a slot in a day, in so many columns.
func (p *planCalendar) slot(r *SlotRow, room int) string {
	s := r.At.In(r.Zone).Format("15:04") + " " + string(r.slotMark()) + p.letters[r.ID.Campaign]
	if name := r.name(); room >= widePost-4 && name != "" && r.State != slotEmpty {
		s += " " + print.PlainText(name, room-print.TextWidth(s)-1)
	}
	return s
}

// legend explains the marks that are used.
func (p *planCalendar) legend() []string {
	var parts []string
	for _, m := range marks {
		if slices.ContainsFunc(p.rows, func(r SlotRow) bool { return r.slotMark() == m.mark }) {
			parts = append(parts, string(m.mark)+" "+m.says)
		}
	}
	for _, c := range p.campaigns() {
		if l := p.letters[c.ID]; l != "" {
			parts = append(parts, l+" "+c.ID)
		}
	}
	return parts
}

// campaigns returns the campaigns of the account, those of the files.
func (p *planCalendar) campaigns() []*campaigns.Campaign { return p.account.Campaigns }

// zones returns the time zones of the campaigns.
func (p *planCalendar) zones() []*time.Location { return zonesOf(p.account) }

func zonesOf(a *Account) []*time.Location {
	var all []*time.Location
	for _, c := range a.Campaigns {
		if !slices.ContainsFunc(all, func(z *time.Location) bool { return z.String() == c.Zone.String() }) {
			all = append(all, c.Zone)
		}
	}
	return all
}

// titleText says what is shown, of whom, and by which clocks.
func (p *planCalendar) titleText() string {
	parts := []string{p.show.titleText(), "account " + print.PlainText(string(p.account.Name), 40)}
	for _, z := range p.zones() {
		s := z.String()
		var changes []string
		for d := p.show.From; p.show.has(d); d = text.DayOf(d.At(12*60, time.UTC).AddDate(0, 0, 1)) {
			if clockChange(d, z) != 0 && len(changes) < 3 {
				changes = append(changes, d.At(0, time.UTC).Format("Mon 2"))
			}
		}
		if len(changes) > 0 {
			s += " (clocks change on " + strings.Join(changes, ", ") + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " · ")
}

// titleText names the days: a month, or from when to when.
func (s Days) titleText() string {
	from, to := s.From.At(0, time.UTC), s.To.At(0, time.UTC)
	switch {
	case s.From.Day == 1 && to.AddDate(0, 0, 1).Day() == 1 && s.From.Month == s.To.Month && s.From.Year == s.To.Year:
		return from.Format("January 2006")
	case s.From.Year != s.To.Year:
		return from.Format("2 January 2006") + " – " + to.Format("2 January 2006")
	}
	return from.Format("2 January") + " – " + to.Format("2 January 2006")
}

// clockChange says by how much the clocks of a zone are put forward on a day; 0 when they are not.
func clockChange(d text.Day, zone *time.Location) time.Duration {
	noon := func(at time.Time) int {
		_, offset := at.In(zone).Zone()
		return offset
	}
	start := d.At(0, zone)
	next := text.DayOf(d.At(12*60, time.UTC).AddDate(0, 0, 1)).At(0, zone)
	return time.Duration(noon(next)-noon(start.Add(-time.Second))) * time.Second
}

// signed is a change of clocks as people write it: +1h, -30m.
func signed(d time.Duration) string {
	if d < 0 {
		return "-" + text.Duration(-d).String()
	}
	return "+" + text.Duration(d).String()
}

// padText fills a text with blanks.
func padText(s string, width int) string {
	return s + strings.Repeat(" ", max(width-print.TextWidth(s), 1))
}

// writeTrimmed writes a line, without blanks at its end.
func writeTrimmed(b *strings.Builder, line string) {
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// packed joins parts into lines of a width.
func packed(parts []string, width int) []string {
	const gap = "   "
	var lines []string
	for _, part := range parts {
		if n := len(lines); n > 0 && print.TextWidth(lines[n-1]+gap+part) <= width {
			lines[n-1] += gap + part
		} else {
			lines = append(lines, part)
		}
	}
	return lines
}

// linesOf is a text in lines of a width, with blanks before each.
func linesOf(text string, width int, blanks string) string {
	var b strings.Builder
	for _, l := range print.WrapText(text, max(width-print.TextWidth(blanks), print.ReplayNarrow/2)) {
		b.WriteString(blanks + l + "\n")
	}
	return b.String()
}
