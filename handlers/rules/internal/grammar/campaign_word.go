package grammar

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// FromText reads a campaign.
func (c *Campaign) FromText(n textfile.Node) textfile.Problems {
	type plain Campaign
	c.places = map[string]textfile.At{}
	for _, p := range n.Pairs() {
		c.places[p.Key.String()] = p.Value.At()
	}
	problems := n.Decode((*plain)(c))
	if len(c.Accounts) == 1 {
		c.Account = c.Accounts[0]
	}
	return problems
}

// PerAccount returns the campaign for each of its accounts: itself, unless there are several. Otherwise each is a campaign with a name of its own.
func (c *Campaign) PerAccount() []*Campaign {
	if len(c.Accounts) < 2 {
		return []*Campaign{c}
	}
	all := make([]*Campaign, len(c.Accounts))
	for i, a := range c.Accounts {
		one := *c
		one.Account, one.behind = a, i
		all[i] = &one
	}
	return all
}

// PlaceOf returns where what stands behind a key begins, or the campaign where it is missing.
func (c *Campaign) PlaceOf(key string) textfile.At {
	if at, is := c.places[key]; is {
		return at
	}
	return c.At
}

// FromText reads a text, or one with an id.
func (p *PlannedText) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() != textfile.Mapping {
		p.At = n.At()
		return n.Decode(&p.Text)
	}
	type plain PlannedText
	return n.Decode((*plain)(p))
}

// FromText reads a draft.
func (d *Draft) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() == textfile.Mapping {
		type plain Draft
		return n.Decode((*plain)(d))
	}
	if d.At = n.At(); n.Kind() == textfile.Scalar && WebAddress(n.String()) {
		d.Link = n.String()
		return nil
	}
	return n.Decode(&d.Text)
}

// Doing is what a campaign does.
type Doing string

// FromText reads repost or publish.
func (d *Doing) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() == textfile.Scalar && n.String() == "message" {
		return textfile.Problems{n.Problem("do: message is not run by this version: write repost or publish")}
	}
	return textfile.OneOf(n, d, "repost", "publish")
}

// Turns is the order in which posts take their turn.
type Turns string

// FromText reads in_order, shuffle or least_used.
func (t *Turns) FromText(n textfile.Node) textfile.Problems {
	return textfile.OneOf(n, t, "in_order", "shuffle", "least_used")
}

// Jitter is how much later than its slot something may happen: "up to 12m".
type Jitter struct{ UpTo text.Duration }

// FromText reads it.
func (j *Jitter) FromText(n textfile.Node) textfile.Problems {
	problems := readWithin(n, &j.UpTo, "up to ", "", "up to 12m")
	if time.Duration(j.UpTo) > 24*time.Hour { // campaigns.New refuses it
		return textfile.Problems{n.Problem("jitter: a slot comes 24h later at most, not %s", j.UpTo)}
	}
	return problems
}

// AtLeast is how long before something: "2h before".
type AtLeast struct{ Before text.Duration }

// FromText reads it.
func (a *AtLeast) FromText(n textfile.Node) textfile.Problems {
	return readWithin(n, &a.Before, "", " before", "2h before")
}

// IfMissed says what happens with a slot that was missed.
type IfMissed struct {
	What   string // skip, within, next_slot
	Within text.Duration
}

// FromText reads skip, within 20m, or next_slot.
func (i *IfMissed) FromText(n textfile.Node) textfile.Problems {
	if strings.HasPrefix(n.String(), "within") {
		i.What = "within"
		return readWithin(n, &i.Within, "within ", "", "within 20m")
	}
	return textfile.OneOf(n, &i.What, "skip", "next_slot", "within 20m") // with a time of its own it is read above
}

// LastDay is when a campaign ends: a day, or never.
type LastDay struct {
	Day   text.Day
	Never bool
}

// FromText reads a day, or never.
func (l *LastDay) FromText(n textfile.Node) textfile.Problems {
	if n.Kind() == textfile.Scalar && n.String() == never {
		l.Never = true
		return nil
	}
	if _, err := text.ParseDay(n.String()); n.Kind() != textfile.Scalar || err != nil && !text.IsNoDay(err) {
		return textfile.Problems{n.Problem("write the last day like 2027-03-26, or never")}
	}
	return n.Decode(&l.Day)
}

const never = "never"

// String returns the day as people write it.
func (l LastDay) String() string {
	if l.Never {
		return never
	}
	return l.Day.String()
}

// FromText reads slots, each of which may be written with others.
func (s *PlannedSlots) FromText(n textfile.Node) textfile.Problems {
	var lines textfile.List[slotLine]
	problems := n.Decode(&lines)
	for i := range lines {
		for j := range lines[i] {
			lines[i][j].Together = i
		}
	}
	*s = PlannedSlots(slices.Concat(lines...))
	return problems
}

// slotLine is what stands behind a dash: moments, or one with a post or text of its own.
type slotLine []PlannedSlot

// FromText reads it. A slot stands for what cannot be read, so that nobody is told that there are none.
func (l *slotLine) FromText(n textfile.Node) (problems textfile.Problems) {
	when := text.WhenTimes{{}}
	if n.Kind() == textfile.Mapping {
		one := PlannedSlot{At: n.At()}
		problems = n.Decode(&one)
		*l = slotLine{one}
		return problems
	}
	problems = n.Decode(&when)
	for _, w := range when {
		*l = append(*l, PlannedSlot{At: n.At(), When: w})
	}
	return problems
}

// readWithin reads a time between two words.
func readWithin(n textfile.Node, into *text.Duration, before, after, example string) textfile.Problems {
	return textfile.ReadValue(n, into, "a time such as "+example, func(s string) (text.Duration, error) {
		words, first := strings.CutPrefix(s, before)
		words, last := strings.CutSuffix(words, after)
		d, err := parseDuration(words)
		if err != nil || !first || !last {
			return 0, errors.New("write it like " + example)
		}
		return text.Duration(d), nil
	})
}

// Times is a count: "3 times".
type Times int

// FromText reads it.
func (t *Times) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, t, "a number such as 3 times", func(s string) (Times, error) {
		words, _ := strings.CutSuffix(strings.TrimSuffix(s, "s"), " time")
		times, err := strconv.Atoi(words)
		if err != nil || times < 1 {
			return 0, errors.New("write it like 3 times")
		}
		return Times(times), nil
	})
}

// Age is how old a post is: 1y, or any other length of time.
type Age time.Duration

// FromText reads it. A year has 365 days.
func (a *Age) FromText(n textfile.Node) textfile.Problems {
	years, is := strings.CutSuffix(n.String(), "y")
	if number, err := strconv.Atoi(years); is && err == nil && number > 0 && number <= 10 && n.Kind() == textfile.Scalar {
		*a = Age(number) * Age(365*24*time.Hour)
		return nil
	}
	d, err := parseDuration(n.String())
	if err != nil || d <= 0 || n.Kind() != textfile.Scalar {
		return textfile.Problems{n.Problem("write it like 1y or 90d")}
	}
	*a = Age(d)
	return nil
}

// FromText reads deleted, or conditions.
func (s *StopPost) FromText(n textfile.Node) textfile.Problems {
	s.At = n.At()
	if n.Kind() != textfile.Scalar {
		type plain StopPost
		return n.Decode((*plain)(s))
	}
	word := ""
	problems := textfile.OneOf(n, &word, "deleted")
	s.Deleted = word == "deleted"
	return problems
}
