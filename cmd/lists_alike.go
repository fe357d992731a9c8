package cmd

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nectar-bot/nectar/bot/event"
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
		said := folded(r.Text)
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

// folded returns what a text says without case, accents, punctuation and spaces that vary. A text of
// nothing else stands for itself.
func folded(text string) string {
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
func (l *entryList) printAlike(d *desk, rows []row) error {
	groups := grouped(rows)
	if l.limit > 0 {
		groups = groups[:min(len(groups), l.limit)]
	}
	t := table{head: []string{"TIMES", "PEOPLE", "LAST", "TEXT"}}
	lines := [][]string{{"times", "people", "first", "last", "text"}}
	for _, g := range groups {
		switch {
		case d.json:
			if err := printLine(d.out, alikeJSON{g.text, g.times, len(g.people), g.first.UTC(), g.last.UTC()}); err != nil {
				return err
			}
		case l.csv:
			lines = append(lines, []string{
				strconv.Itoa(g.times), strconv.Itoa(len(g.people)), g.first.UTC().Format(time.RFC3339), g.last.UTC().Format(time.RFC3339), g.text,
			})
		default:
			t.add(strconv.Itoa(g.times), strconv.Itoa(len(g.people)), when(g.last), plain(g.text, 100))
		}
	}
	switch {
	case d.json:
		return nil
	case l.csv:
		return writeCSV(d.out, lines)
	}
	return t.print(d.out, l.none(unanswered))
}
