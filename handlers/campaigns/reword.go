package campaigns

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Reword is a text whose words an edit changes, and that stays the same text: it keeps its turns, its gap, and how often it came.
type Reword struct {
	Campaign string
	Was, Is  *Item
	ByID     bool // its id says that it is the same text; otherwise people may say that it is another one
	Far      bool // with ByID: the words are others altogether, so perhaps another text was meant
}

// String shows what differs, with a word around it.
func (r *Reword) String() string {
	was, is := strings.Fields(r.Was.Text), strings.Fields(r.Is.Text)
	first := 0
	for first < min(len(was), len(is))-1 && was[first] == is[first] {
		first++
	}
	last := 0
	for last < min(len(was), len(is))-first-1 && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	shown := func(words []string) string {
		from, to := max(first-1, 0), min(len(words)-last+1, len(words))
		s := strings.Join(words[from:to], " ")
		if from > 0 {
			s = "… " + s
		}
		if to < len(words) {
			s += " …"
		}
		return `"` + s + `"`
	}
	return shown(was) + " → " + shown(is)
}

// textPair is a text as it was, and as it is now: under another key, in other words, or both.
type textPair struct{ was, is *Item }

// pairTexts returns the texts that another edition of the campaign has under another key, or in other words: those with the same id, those that get or lose an
// id, and, unless asNew, those that were only corrected at their place.
func (c *Campaign) pairTexts(next *Campaign, asNew bool) []textPair {
	if slices.EqualFunc(c.Items, next.Items, Item.isAgain) {
		return nil
	}
	all := c.sameTexts(next)
	is := make(map[string]string, len(all)) // keys, as they are, of texts that are there already
	for was, n := range all {
		is[n] = was
	}
	if !asNew { //mutate:text-as-new
		old := c.textPlaces(func(key string) string { return all[key] })
		fresh := next.textPlaces(func(key string) string {
			if is[key] == "" {
				return ""
			}
			return key
		})
		for _, place := range slices.Sorted(maps.Keys(old)) {
			was, n := old[place], fresh[place]
			if n != nil && is[n.Key] == "" && (!was.hasID() || !n.hasID()) && isCorrected(was.Text, n.Text) {
				all[was.Key], is[n.Key] = n.Key, was.Key
			}
		}
	}
	var pairs []textPair
	for i := range c.Items {
		was := &c.Items[i]
		if key := all[was.Key]; key != "" && was.Text != "" {
			if n := &next.Items[next.index[key]]; n.Key != was.Key || n.Text != was.Text {
				pairs = append(pairs, textPair{was, n})
			}
		}
	}
	return pairs
}

// sameTexts returns the keys, as they are, of the items that are in both editions, by their keys as they were: with the same key, or a text with the same words.
func (c *Campaign) sameTexts(next *Campaign) map[string]string {
	words := map[string]*Item{}
	for i := range next.Items {
		words[next.Items[i].Text] = &next.Items[i]
	}
	same := map[string]string{}
	for i := range c.Items {
		was := &c.Items[i]
		if _, stays := next.index[was.Key]; stays {
			same[was.Key] = was.Key
			continue
		}
		is, there := words[was.Text]
		if !there || was.Text == "" {
			continue
		}
		// Who gives the same words another id wants another text.
		if _, before := c.index[is.Key]; !before && (!was.hasID() || !is.hasID()) {
			same[was.Key] = is.Key
		}
	}
	return same
}

// textPlaces returns the texts that are in one edition alone, by their places: behind which text of both, or at which slot. inBoth returns the key, as it is, of
// what is in both; "" for what is not.
func (c *Campaign) textPlaces(inBoth func(key string) string) map[string]*Item {
	places, behind, n := map[string]*Item{}, "", 0
	for i := range c.Items[:c.turns] {
		it := &c.Items[i]
		if key := inBoth(it.Key); key != "" {
			behind, n = key, 0
			continue
		}
		n++
		places[fmt.Sprintf("%s %d", behind, n)] = it
	}
	for _, l := range c.Lines {
		if i, own := c.index[l.Own]; own && inBoth(l.Own) == "" && c.Items[i].Only {
			places[l.When.String()] = &c.Items[i]
		}
	}
	return places
}

// What may differ of a text that was only corrected: letters, in percent of all, or words, of a text that has several times as many.
const (
	mostLetters = 15
	mostWords   = 2
	manyWords   = 8
)

// isCorrected reports whether a text has nearly the same words as before, and all the same numbers, as they are written: another price is another text.
func isCorrected(was, is string) bool {
	notDigit := func(r rune) bool { return !unicode.IsDigit(r) }
	if was == "" || is == "" || !slices.Equal(strings.FieldsFunc(was, notDigit), strings.FieldsFunc(is, notDigit)) { //mutate:text-numbers
		return false
	}
	letters := 0
	for _, r := range was {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if 100*textfile.EditDistance([]rune(was), []rune(is)) <= mostLetters*letters {
		return true
	}
	before, now := strings.Fields(was), strings.Fields(is)
	return len(before) >= manyWords && textfile.EditDistance(before, now) <= mostWords
}

// keepTexts lets what is remembered of texts go on under the keys that they have now.
func (a *Account) keepTexts(id string, pairs []textPair) {
	if len(pairs) == 0 {
		return
	}
	m := a.Memories[id]
	m, a.Uses = m.clone(), a.Uses.clone()
	for _, p := range pairs {
		a.Uses.copyUse(TextKey(p.was.Text), TextKey(p.is.Text))
		if p.was.Key != p.is.Key {
			m.renameItem(p)
			a.Uses.copyUse(p.was.Key, p.is.Key)
		}
	}
	a.Memories[id] = m
}

// copyUse lets what is remembered under a key hold under another one, too: another campaign may have the words as they were.
func (u *Uses) copyUse(from, to string) {
	if use, known := u.Posts[from]; known && from != to {
		use.Last = LaterTime(use.Last, u.Posts[to].Last)
		u.Posts[to] = use //mutate:text-gap
	}
}

// renameItem lets what is remembered of a text go on under another key.
func (m *Memory) renameItem(p textPair) {
	from, to := p.was.Key, p.is.Key
	i, there := m.at(0, from), m.at(0, to)
	if i >= 0 {
		u := m.Items[i]
		if u.Drawn == "" {
			u.Drawn = from // or a shuffled round would have another order, only since a text has got an id
		}
		if u.Key = to; there >= 0 {
			u.Done, u.Turns = max(u.Done, m.Items[there].Done), max(u.Turns, m.Items[there].Turns)
			u.Turn, u.Last = LaterTime(u.Turn, m.Items[there].Turn), LaterTime(u.Last, m.Items[there].Last)
		}
		m.Items[i] = u //mutate:text-turns
		if there >= 0 {
			m.Items = slices.Delete(m.Items, there, there+1)
		}
	}
	rename := func(key string) string {
		if key == from {
			return to
		}
		return key
	}
	m.Place, m.Last, m.Owed = rename(m.Place), rename(m.Last), slices.Clone(m.Owed)
	for k := range m.Owed {
		m.Owed[k] = rename(m.Owed[k])
	}
	for id, e := range m.Book {
		// What people were shown, in words that are others now, is not what would come.
		if e.Item != from || e.State == Prepared && p.was.Text != p.is.Text {
			continue
		}
		if e.Item = to; e.State == Prepared && e.Words == "" {
			e.Words = TextKey(p.was.Text)
		}
		m.Book[id] = e
	}
}
