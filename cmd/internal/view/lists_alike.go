package view

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// unanswered is the list whose entries are counted together.
const unanswered = "unanswered"

// alike are entries that say the same.
type alike struct {
	text        string // as it was said last
	times       int
	people      map[event.Key]bool
	first, last time.Time
}

// grouped counts rows together that say the same, the most frequent first. rows are newest first.
func grouped(rows []row) []*alike {
	var groups []*alike
	byText := map[string]*alike{}
	for i := range rows {
		r := &rows[i]
		said := FoldText(r.Text)
		g := byText[said]
		if g == nil {
			g = &alike{text: r.Text, people: map[event.Key]bool{}, last: r.At}
			byText[said] = g
			groups = append(groups, g)
		}
		g.times++
		g.people[event.Key{Account: r.Account, Peer: r.Peer}] = true
		g.first = r.At
	}
	slices.SortStableFunc(groups, func(a, b *alike) int { return cmp.Or(cmp.Compare(b.times, a.times), b.last.Compare(a.last)) })
	return groups
}

// FoldText returns what a text says without case, accents, punctuation and spaces that vary. A text of
// nothing else stands for itself.
func FoldText(text string) string {
	words := strings.FieldsFunc(norm.NFKD.String(cases.Fold().String(html.UnescapeString(text))), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.Is(unicode.So, r)
	})
	said := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, strings.Join(words, " "))
	return cmp.Or(said, strings.TrimSpace(text))
}

// alikeJSON is a group for machines.
type alikeJSON struct {
	Text    string    `json:"text"`
	Times   int       `json:"times"`
	People  int       `json:"people"`
	FirstAt time.Time `json:"first_at"`
	LastAt  time.Time `json:"last_at"`
}

// printAlike prints what was asked and not answered, counted.
func (l *EntryList) printAlike(d *View, rows []row) error {
	groups := grouped(rows)
	if l.Limit > 0 {
		groups = groups[:min(len(groups), l.Limit)]
	}
	t := d.newTable("TIMES", "PEOPLE", "LAST", "TEXT")
	lines := [][]string{{"times", "people", "first", "last", "text"}}
	for _, g := range groups {
		times, people := strconv.Itoa(g.times), strconv.Itoa(len(g.people))
		if l.CSV {
			lines = append(lines, []string{times, people, g.first.UTC().Format(time.RFC3339), g.last.UTC().Format(time.RFC3339), g.text})
			continue
		}
		t.AddRow(alikeJSON{g.text, g.times, len(g.people), g.first.UTC(), g.last.UTC()}, times, people, print.TimeText(g.last), print.PlainText(g.text, 100))
	}
	if l.CSV {
		return print.WriteCSV(d.Out, lines, l.NoBOM)
	}
	return t.Print(d.Out, l.noneText(unanswered))
}
