package simulate_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// reminder is what somebody hears who does not answer a question for so long.
type reminder struct {
	text  string
	after time.Duration
}

var reminders = []reminder{{"Still there?", 10 * time.Second}, {"We keep your answers.", 30 * time.Second}}

// booking follows somebody who books: three questions, each in its turn, at most three times.
type booking struct {
	x     *exchange
	step  string   // where it stands by what was said; "" outside
	due   []string // what had to be said to all that, without reminders
	leads []string
	wrong []string
	open  bool // what is due has not been heard yet

	begun       int // times
	tries       int // wrong answers to the question
	name, party string
}

func newBooking(x *exchange) *booking {
	t := &booking{x: x}
	for _, e := range x.said {
		t.answer(e.Text)
	}
	var heard []string
	for _, e := range x.heard {
		if !isReminder(e.Text) {
			heard = append(heard, e.Text)
		}
	}
	t.open = len(heard) < len(t.due)
	if !slices.Equal(t.due, heard) {
		t.wrong = append(t.wrong, fmt.Sprintf("who books had to hear\n%q, and heard\n%q", t.due, heard))
	}
	return t
}

func isReminder(text string) bool { return text == reminders[0].text || text == reminders[1].text }

// answer goes on as the conversation should.
func (t *booking) answer(said string) {
	ask := func(step, question string) { t.step, t.tries, t.due = step, 0, append(t.due, question) }
	again := func(told string) {
		if t.tries++; t.tries > 1 {
			t.step, told = "", "Never mind."
		}
		t.due = append(t.due, told)
	}
	_, err := fmt.Sscanf(said, "%d", new(int))
	switch t.step {
	case "":
		if t.begun++; t.begun <= 3 {
			ask("name", "Your name?")
		}
	case "name":
		t.name = said
		ask("guests", "How many, "+said+"?")
	case "guests":
		if t.party = said; err != nil {
			again("A number, please.")
			return
		}
		ask("sure", said+" for "+t.name+"?")
	case "sure":
		switch said {
		case "yes":
			t.step, t.due = "", append(t.due, "Booked.")
			t.leads = append(t.leads, fmt.Sprintf(`[{"name":"who","value":%q},{"name":"guests","value":%q}]`, t.name, t.party))
		case "no":
			ask("name", "Your name?")
		default:
			again("Yes or no?")
		}
	}
}

// next returns what the person says next; nothing while they wait for the bot.
func (g *ruled) next(how string) string {
	x := &exchange{by: map[string]string{}}
	for _, e := range g.s.platform.Ledger().Since(0) {
		switch {
		case e.Kind == emulator.Said && e.From == g.booker:
			x.said = append(x.said, e)
		case e.Kind == emulator.Arrived && e.To == g.booker:
			x.hear(e)
		}
	}
	t := newBooking(x)
	switch {
	case t.open:
		return ""
	case t.step == "":
		return "book"
	case t.step == "name":
		return fmt.Sprint("Ana ", g.said)
	case how == "wrong":
		return "hm"
	case t.step == "guests":
		return fmt.Sprint(1 + g.said%400)
	case how == "no":
		return "no"
	default:
		return "yes"
	}
}

// silences judges the reminders: each at most once for what was asked, in order and not too early; one
// whose successor's time has come, too, is left out. The last one has come when nothing was said for long.
func (t *booking) silences(over time.Time) (wrong []string) {
	var asked time.Time // not later than that
	told := 0           // reminders since then, with those left out
	said := t.x.said
	for _, e := range t.x.heard {
		i := slices.IndexFunc(reminders, func(r reminder) bool { return r.text == e.Text })
		switch {
		case i < 0:
			told = 0
			if len(said) > 0 {
				asked, said = said[0].At, said[1:]
			}
			continue
		case i < told:
			wrong = append(wrong, fmt.Sprintf("the reminder %q is out of order, or doubled", e.Text))
		case e.At.Before(asked.Add(reminders[i].after)):
			wrong = append(wrong, fmt.Sprintf("the reminder %q is too early", e.Text))
		}
		told = i + 1
	}
	if !over.IsZero() && t.step != "" && told < len(reminders) {
		wrong = append(wrong, fmt.Sprintf("somebody is silent at the step %s, and heard %d reminders", t.step, told))
	}
	return wrong
}
