package campaigns

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/handlers/text"
)

// New makes a campaign ready to be decided about. What people write wrongly is for the checker to say; the error is about what
// nothing can be decided without.
func New(c Campaign) (*Campaign, error) {
	switch {
	case c.ID == "":
		return nil, errors.New("a campaign needs an id")
	case c.Zone == nil:
		return nil, fmt.Errorf("campaign %s: in which time zone are the slots?", c.ID)
	case c.Jitter < 0 || c.Jitter > 24*time.Hour:
		return nil, fmt.Errorf("campaign %s: the jitter is at most 24h", c.ID)
	}
	c.hash = hash(c.ID)
	c.out = make(map[text.Day]bool, len(c.Except))
	for _, d := range c.Except {
		c.out[d] = true
	}
	if err := c.takeItems(); err != nil {
		return nil, err
	}
	c.takeLines()
	return &c, nil
}

// longestText is how many characters an own post has at most: see platform.PublishPostParams.
const longestText = 600

// takeItems puts items that belong to a line behind the others.
func (c *Campaign) takeItems() error {
	c.Items = slices.Clone(c.Items)
	slices.SortStableFunc(c.Items, func(a, b Item) int {
		switch {
		case a.Only == b.Only:
			return 0
		case b.Only:
			return -1
		}
		return 1
	})
	c.index, c.draws = make(map[string]int32, len(c.Items)), make([]uint64, len(c.Items))
	for i := range c.Items {
		it := &c.Items[i]
		if _, twice := c.index[it.Key]; twice || it.Key == "" {
			return fmt.Errorf("campaign %s: %s is there twice", c.ID, it.Name())
		}
		if n := utf8.RuneCountInString(it.Text); it.Post == 0 && !it.Found() && (n > longestText || strings.TrimSpace(it.Text) == "") {
			return fmt.Errorf("campaign %s: a post has a text of 1 to %d characters, %s has %d", c.ID, longestText, it.Name(), n)
		}
		c.index[it.Key] = int32(i)
		c.draws[i] = c.draw(it.Key)
		// The more careful of the two holds: neither a post nor its campaign goes further than the other lets it.
		it.Status = it.Status.atMost(c.Status)
		if it.Found() {
			it.Status = it.Status.atMost(Ask) // what is found is always shown to a person first
		}
		if !it.Only {
			c.turns = i + 1
		}
	}
	for _, l := range c.Lines {
		if _, known := c.index[l.Own]; l.Own != "" && !known {
			return fmt.Errorf("campaign %s: the slot %s has a post of its own that is not there", c.ID, l.When)
		}
	}
	return nil
}

// takeLines sorts lines by when they come. Of two at the same minute of a day, a line of that day goes before one of any week.
func (c *Campaign) takeLines() {
	for i := range c.week {
		c.week[i] = nil
	}
	c.dated = nil
	seen := map[text.WhenTime]bool{}
	for i, l := range c.Lines {
		if l.When.Day != (text.Day{}) {
			c.dated = append(c.dated, int32(i))
			continue
		}
		if !seen[l.When] {
			c.week[l.When.Weekday] = append(c.week[l.When.Weekday], int32(i))
		}
		seen[l.When] = true
	}
	slices.SortStableFunc(c.dated, func(a, b int32) int { return dayNumber(c.Lines[a].When.Day) - dayNumber(c.Lines[b].When.Day) })
}

// draw is what an item's place in each round is drawn from.
func (c *Campaign) draw(key string) uint64 { return mixBits(c.hash ^ hash(key)) }

// hash is FNV-1a. Draws depend on it: it never changes.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// mixBits spreads what differs in few bits over all of them (the finalizer of SplitMix64). Draws depend on it: it never changes.
func mixBits(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
