package campaigns

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// AccountFacts is what holds for an account in all of its slots.
type AccountFacts struct {
	Budget Budget
	// Silent says that the platform's posts do not tell whether we have reposted them. What they do not tell is not "no": then only
	// posts are reposted that neither our book nor our own page shows, and none is reposted anew.
	Silent bool
	Paused *Note // people have paused the account
	// Withheld are items of which nothing comes, since an edit waits that takes them out of their campaign; see Account.Withhold.
	Withheld map[string]bool
	// Clock says that the machine's clock is wrong, or was: nil for never. The times that Plan, Coming, Find, Difference and Edited are called with
	// are the machine's.
	Clock *WrongClock
}

// WrongClock is a difference between the clock of the machine and the platform's by which slots come at a wrong time. It is stored as JSON.
type WrongClock struct {
	Ahead   time.Duration `json:"ahead"`             // of the platform's; below 0 it is behind
	From    time.Time     `json:"from"`              // when that was found, by the platform's clock
	To      time.Time     `json:"to,omitzero"`       // when it was over; zero: it lasts
	Allowed *Note         `json:"allowed,omitempty"` // a person lets slots be decided by the machine's clock all the same
}

// IsHolding reports whether slots are neither decided nor missed.
func (w *WrongClock) IsHolding() bool { return w != nil && w.To.IsZero() && w.Allowed == nil }

// AheadText says how the clock is wrong: "20m ahead of the platform's".
func (w *WrongClock) AheadText() string {
	is := "ahead of"
	if w.Ahead < 0 {
		is = "behind"
	}
	return text.Duration(w.Ahead.Abs().Round(time.Minute)).String() + " " + is + " the platform's"
}

// TrueTime returns what time it is by the clock that slots go by, which the platform's is as long as slots wait for the machine's.
func (f *AccountFacts) TrueTime(now time.Time) time.Time {
	if f.Clock.IsHolding() {
		return now.Add(-f.Clock.Ahead)
	}
	return now
}

// lateWhy says why a slot does not come any more that might have left until a time.
func (d *decider) lateWhy(until time.Time) Why {
	why, w := Why{Code: Late, At: d.inZone(until)}, d.AccountFacts.Clock
	if w == nil {
		return why
	}
	from, to := w.From, w.To
	if w.Allowed != nil { // the slots had waited until then, and are late by the machine's clock
		from, to = from.Add(w.Ahead), w.Allowed.At
	}
	if !until.Before(from) && (to.IsZero() || d.Slot.Minute.Before(to)) {
		why.Code, why.Span, why.Name = ClockWrong, w.Ahead.Abs(), w.AheadText()
	}
	return why
}

// isWithheld reports whether nothing comes of an item of a campaign. Nearly always no edit waits, and a plan asks a hundred thousand times.
func (f *AccountFacts) isWithheld(c *Campaign, i *Item) bool {
	return len(f.Withheld) > 0 && f.Withheld[withheldKey(c, i)]
}

// withheldKey names an item of a campaign in Withheld.
func withheldKey(c *Campaign, i *Item) string { return c.ID + "/" + i.Key }

// Facts are what was read for a slot. Without them decide assumes that the platform stays as it is.
type Facts struct {
	Posts map[platform.PostID]PostFact
	Found map[string]FoundFact // by the Key of the item
	Stop  *Note                // what ends the campaign, when its stop_if has been met: Why is a sentence
}

// NewFacts returns empty facts: nothing was read yet.
func NewFacts() *Facts {
	return &Facts{Posts: map[platform.PostID]PostFact{}, Found: map[string]FoundFact{}}
}

// PostFact is what was read of a post.
type PostFact struct {
	Unread   bool           // the platform could not be asked
	Out      OutWhy         // Gone or Hidden; "" when it is there
	Reposted Tri            // as the post says
	OnPage   bool           // our own page shows our repost of it
	Since    time.Time      // when that was made, or at the earliest; zero: not known
	Latest   time.Time      // when that was made at the latest, where Since is not the moment; zero: not known
	Row      platform.RowID // of the post, or its repost, on our own page; 0: it is not shown, or the platform has no rows
	Posted   time.Time      // when the post was written
	Own      bool           // the post is ours
	Words    string         // a hash of what it says
	Address  string         // where people open it; "" where the platform does not say
	// Moving says that something of ours with the post was on its way when it was read, or was over so shortly before that the
	// platform may have shown what was there until then: what it shows against our book was done by nobody's hand.
	Moving bool
	// Tidied is when the account has last taken its repost back by something that no campaign decided, a program: nobody's hand
	// did that. Zero for never.
	Tidied time.Time
}

// countedAt is when our repost counts as made by hand: at the latest moment that is possible.
func (f *PostFact) countedAt(now time.Time) time.Time {
	switch {
	case !f.Latest.IsZero():
		return f.Latest
	case !f.Since.IsZero():
		return f.Since
	}
	return now
}

// FoundFact is what a search has found: the newest post that fits and that was not used; Post 0: none.
type FoundFact struct {
	Unread bool
	Post   platform.PostID
}

// Need is something to be read before a slot can be decided: a post, or what a search finds.
type Need struct {
	Post platform.PostID
	Find string    // the Key of an item
	At   time.Time // with Find: the slot, at which what is found has to be young enough
}
