package waiting

import (
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Asked is something that somebody wrote, and that a rule does something about unless it is dealt with by then. A timer keeps the first one, the
// conversation all of them.
type Asked struct {
	Since time.Time `json:"since"`
	Said  string    `json:"said,omitempty"`
	Who   string    `json:"who,omitempty"`  // who is told; "" for a rule on silence
	Text  string    `json:"text,omitempty"` // what they are told
	Rule  string    `json:"rule,omitempty"` // which gave the conversation away
	Event event.ID  `json:"event,omitzero"`
	When  string    `json:"when,omitempty"`
	Post  int64     `json:"post,omitempty"`
	// After is how long it waits from Since on. Earlier versions kept it with the timer alone.
	After time.Duration `json:"after,omitempty"`
	Opens bool          `json:"opens,omitempty"` // it waits for us to be at work, too
	At    time.Time     `json:"at,omitzero"`     // when it is told, by the hours that were in force when the timer was set
	// Answer is the key of what was decided to be said, for a rule on silence that looks whether it came about.
	Answer string `json:"answer,omitempty"`
	// Answers are the keys of what other rules have decided to say to it.
	Answers []string `json:"answers,omitempty"`
	// Private says that Text tells a private answer.
	Private bool `json:"private,omitempty"`
	Plain   bool `json:"plain,omitempty"` // Text says no more than who has said what
	// Urgent says that the people who are told are rung in quiet hours, too.
	Urgent bool `json:"urgent,omitempty"`
	// Beside says that no rule waits with it: it is told with what one waits with.
	Beside bool `json:"beside,omitempty"`
}

// IsAlike reports whether the same is done about both, after the same time.
func (a *Asked) IsAlike(b *Asked) bool {
	return a.Who == b.Who && a.After == b.After && a.Opens == b.Opens
}

// Told is something that was decided to be said to somebody who waits.
type Told struct {
	At   time.Time `json:"at"`
	Key  string    `json:"key"` // of its action
	Text string    `json:"text"`
}

const (
	mostAsked = 20  // how many texts of one wait are kept: the first ones, and the last ones
	mostTold  = 5   // the last ones
	mostText  = 500 // letters of a text that is kept
)

// AppendAsked puts something behind what was asked before. Of very many those in the middle are forgotten.
func AppendAsked(all []Asked, a *Asked) []Asked {
	kept := *a
	kept.Said, kept.Text = cut(a.Said), cut(a.Text)
	if len(all) == mostAsked {
		all = slices.Delete(all, 1, 2)
	}
	return append(all, kept)
}

// AppendTold puts something behind what was told before. Of many the last ones stay.
func AppendTold(all []Told, t Told) []Told {
	t.Text = cut(t.Text)
	all = append(all, t)
	return all[max(0, len(all)-mostTold):]
}

func cut(text string) string {
	n := 0
	for i := range text {
		if n++; n > mostText {
			return text[:i] + "…"
		}
	}
	return text
}

// Clone returns a copy that shares nothing with what was asked by the names of waits.
func Clone(all map[string][]Asked) map[string][]Asked {
	if all == nil {
		return nil
	}
	c := make(map[string][]Asked, len(all))
	for name, asked := range all {
		c[name] = slices.Clone(asked)
		for i := range c[name] {
			c[name][i].Answers = slices.Clone(asked[i].Answers)
		}
	}
	return c
}

// MaskAsked returns what may be recorded of what was asked: mask in the place of private texts.
func MaskAsked(all map[string][]Asked, mask string) map[string][]Asked {
	c := Clone(all)
	for name := range c {
		for i := range c[name] {
			if a := &c[name][i]; a.Private && a.Text != "" {
				a.Text = mask
			}
		}
	}
	return c
}
