package simulate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// exchange is what somebody said and heard, in order. What was heard is without the version of the rules.
type exchange struct {
	said, heard []emulator.Entry
	by          map[string]string // the version of the rules that answered, by the text
}

// hear adds what was heard.
func (x *exchange) hear(e emulator.Entry) {
	text := unversioned(e.Text)
	x.by[text] = strings.TrimPrefix(e.Text, text+" ")
	e.Text = text
	x.heard = append(x.heard, e)
}

func (g *ruled) judge(mine []emulator.Entry) (wrong []string) {
	all := map[platform.UserID]*exchange{}
	of := func(who platform.UserID) *exchange {
		if all[who] == nil {
			all[who] = &exchange{by: map[string]string{}}
		}
		return all[who]
	}
	for _, e := range mine {
		switch e.Kind {
		case emulator.Said:
			of(e.From).said = append(of(e.From).said, e)
		case emulator.Arrived:
			of(e.To).hear(e)
		default:
		}
	}
	var odd []string
	winners, askers := 0, 0
	drawn, tickets := map[string]int{}, 0
	for _, who := range g.till {
		x := of(who)
		prizes := x.with("prize")
		askers += min(1, len(prizes))
		won := len(prizes) > 0 && x.hears(prizes[0])
		if won {
			winners++
		}
		for _, ticket := range x.with("raffle") {
			tickets++
			drawn[x.by[ticket]]++
		}
		odd = append(odd, x.with("odd")...)
		wrong = append(wrong, x.atTill(won)...)
	}
	if winners != min(1, askers) {
		wrong = append(wrong, fmt.Sprintf("%d of %d got the one prize", winners, askers))
	}
	wrong = append(wrong, raffled(drawn, tickets)...)
	talk := newBooking(of(g.booker))
	wrong = append(wrong, talk.wrong...)
	wrong = append(wrong, talk.silences(g.over)...)
	wrong = append(wrong, g.quotes(of(g.asker))...)
	wrong = append(wrong, g.handover(of(g.handed))...)
	wrong = append(wrong, g.bursts(of(g.burst))...)
	if !g.over.IsZero() {
		wrong = append(wrong, sameTexts("in the list of what is odd", odd, g.odd)...)
		wrong = append(wrong, sameTexts("in the list of bookings", talk.leads, g.leads)...)
	}
	return wrong
}

// unversioned returns a text without the version of the rules that said it.
func unversioned(text string) string {
	return strings.TrimSuffix(strings.TrimSuffix(text, " (v1)"), " (v2)")
}

// with returns what was said that begins with a word, in order.
func (x *exchange) with(word string) (lines []string) {
	for _, e := range x.said {
		if strings.HasPrefix(e.Text, word+" ") {
			lines = append(lines, e.Text)
		}
	}
	return lines
}

func (x *exchange) hears(text string) bool { return slices.Contains(texts(x.heard), text) }

func texts(entries []emulator.Entry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Text
	}
	return all
}

// sameTexts compares what there should be with what there is, in any order.
func sameTexts(where string, want, got []string) (wrong []string) {
	left := slices.Clone(want)
	for _, s := range got {
		if i := slices.Index(left, s); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		wrong = append(wrong, fmt.Sprintf("doubled or not due %s: %q", where, s))
	}
	for _, s := range left {
		wrong = append(wrong, fmt.Sprintf("lost %s: %q", where, s))
	}
	return wrong
}

// raffled judges how many tickets were drawn by each version, whose limits count those of the other: the first one
// draws none any more when there are two. drawn has those under "" that were not.
func raffled(drawn map[string]int, tickets int) (wrong []string) {
	all := tickets - drawn[""]
	if drawn["(v1)"] > raffles["(v1)"] || all > raffles["(v2)"] {
		wrong = append(wrong, fmt.Sprintf("of %d tickets, too many were drawn: %v", tickets, drawn))
	}
	if all < min(tickets, raffles["(v1)"]) {
		wrong = append(wrong, fmt.Sprintf("of %d tickets, too few were drawn: %v", tickets, drawn))
	}
	return wrong
}

// granted returns the coupons that somebody got. Each version counts those that the other one has given.
func (x *exchange) granted() (got, wrong []string) {
	for _, c := range x.with("coupon") {
		switch v, heard := x.by[c]; {
		case heard && len(got) >= coupons[v]:
			wrong = append(wrong, fmt.Sprintf("%q is number %d, by rules %s", c, len(got)+1, v))
		case !heard && len(got) < coupons["(v1)"]:
			wrong = append(wrong, fmt.Sprintf("%q was not given, after %d", c, len(got)))
		case heard:
			got = append(got, c)
		}
	}
	return got, wrong
}

// atTill judges somebody who may have two or three coupons ever, as the version says, and the prize, which one
// gets. What does not wait comes in order, and what waits not too early.
func (x *exchange) atTill(won bool) []string {
	granted, wrong := x.granted()
	var order []string
	wait := map[string]time.Time{}
	for _, e := range x.said {
		switch word, _, _ := strings.Cut(e.Text, " "); word {
		case "coupon":
			if slices.Contains(granted, e.Text) {
				order = append(order, e.Text)
			}
		case "raffle":
			if x.hears(e.Text) {
				order = append(order, e.Text)
			}
		case "prize":
			if won && e.Text == x.with("prize")[0] {
				order = append(order, e.Text)
			}
		case "later":
			wait[e.Text] = e.At.Add(4 * time.Second)
		case "slowly":
			wait[e.Text] = e.At.Add(5 * time.Second)
		}
	}
	wrong = append(wrong, sameTexts("at the till", slices.AppendSeq(slices.Clone(order), maps.Keys(wait)), texts(x.heard))...)
	var got []string
	for _, e := range x.heard {
		if least, ok := wait[e.Text]; !ok {
			got = append(got, e.Text)
		} else if e.At.Before(least) {
			wrong = append(wrong, fmt.Sprintf("too early: %q", e.Text))
		}
	}
	if len(wrong) == 0 && !slices.Equal(order, got) {
		wrong = append(wrong, fmt.Sprintf("out of order at the till: %q", got))
	}
	return wrong
}

// quotes judges somebody whose answers wait for an approval: what was approved arrives once and in order,
// and nothing else; of the first quote, one has to be asked.
func (g *ruled) quotes(x *exchange) (wrong []string) {
	var want []string
	for _, w := range g.wishes {
		if w.release {
			want = append(want, unversioned(w.text))
		}
	}
	slices.SortFunc(want, func(a, b string) int { return place(x, a) - place(x, b) })
	if got := texts(x.heard); !slices.Equal(want, got) {
		wrong = append(wrong, fmt.Sprintf("approved were %q, and %q arrived", want, got))
	}
	if n := len(want); n > 3 {
		wrong = append(wrong, fmt.Sprintf("%d quotes were given to somebody who may have three", n))
	}
	if len(x.said) > 0 && len(g.wishes) == 0 && !g.over.IsZero() {
		wrong = append(wrong, "no quote was ever prepared")
	}
	return wrong
}

func place(x *exchange, text string) int { return slices.Index(texts(x.said), text) }

// handover judges somebody who is given to the team: what is said before is answered, what is said soon
// afterwards is not, and the bot speaks again when the team's time is over.
func (g *ruled) handover(x *exchange) (wrong []string) {
	var want, may, told []string
	var handed time.Time
	for _, e := range x.said {
		switch {
		case handed.IsZero(), !g.over.IsZero() && !e.At.Before(g.over):
			want = append(want, e.Text)
		case e.At.Sub(handed) > time.Minute:
			may = append(may, e.Text)
		}
		if handed.IsZero() && strings.HasPrefix(e.Text, "human ") {
			handed = e.At
			told = []string{e.Text, "nobody has answered yet: " + e.Text, "the bot speaks there again, and none of team has written"}
		}
	}
	heard := slices.DeleteFunc(texts(x.heard), func(s string) bool { return slices.Contains(may, s) })
	if !slices.Equal(want, heard) {
		wrong = append(wrong, fmt.Sprintf("who was handed over had to hear %q, and heard %q", want, heard))
	}
	if !g.over.IsZero() && len(may) == 0 {
		wrong = append(wrong, sameTexts("for the team", told, g.notices)...)
	}
	return wrong
}

// bursts judges somebody who is answered once for all that is said in a row: each line is in one answer,
// in order. In peace three lines have one answer.
func (g *ruled) bursts(x *exchange) (wrong []string) {
	var want, got []string
	for _, e := range x.said {
		want = append(want, strings.Fields(e.Text)...)
	}
	answers := 0
	for _, e := range x.heard {
		got = append(got, strings.Fields(e.Text)...)
		if !g.over.IsZero() && !e.At.Before(g.over) {
			answers++
		}
	}
	if !slices.Equal(want, got) {
		wrong = append(wrong, fmt.Sprintf("in bursts was said\n%q, and answered\n%q", want, got))
	}
	if !g.over.IsZero() && answers != 1 {
		wrong = append(wrong, fmt.Sprintf("a burst has %d answers", answers))
	}
	return wrong
}
