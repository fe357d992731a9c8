package campaigns

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Verdict is what becomes of a slot.
type Verdict struct {
	Slot Slot
	Kind Kind

	Item  *Item           // what is published, or would have been; nil: nothing may come
	Post  platform.PostID // 0: an own text, or a post that is still to be found
	Renew bool            // the post is reposted already: it is taken back and reposted
	Nth   int             // the how manieth time the item comes in this campaign, from 1
	At    time.Time       // when it leaves; of Wait when to decide again
	Until time.Time       // when it is too late for it to leave

	Approve  bool      // a person has to approve it
	Ask      time.Time // with Approve: when it is prepared and shown
	Deadline time.Time // with Approve: when the approval is over
	Held     bool      // it is prepared, and waits for the approval
	Approved bool      // somebody has approved it
	Void     Why       // why what was prepared before counts no more; it is asked for again

	Why    Why     // why the slot stays empty, or waits
	Others []Other // the items that were looked at before, or all when none may come, with why not
	Need   []Need  // to be read first
	Outs   []lost  // posts that are out from now on: people are told

	Entry *Entry // of Booked

	row    platform.RowID // of Post on our own page, as it was read
	learnt []learnt
	turn   turn
}

// Kind says in a word what becomes of a slot.
type Kind string

// The kinds of verdicts.
const (
	Go      Kind = "go"     // it is published
	Asks    Kind = "ask"    // a person has to approve it first; the plan takes that for given
	Wait    Kind = "wait"   // not now, but maybe later: at Verdict.At it is decided again
	Watched Kind = "watch"  // it would be published, but for the status
	Skip    Kind = "skip"   // it stays empty
	Needs   Kind = "need"   // something has to be read first
	Stops   Kind = "end"    // the campaign ends here
	Booked  Kind = "booked" // it was decided before: Verdict.Entry has what became of it
)

// Publishes reports whether something leaves, or would on the way that the plan takes for given.
func (k Kind) Publishes() bool { return k == Go || k == Asks }

// Other is an item that did not come, with why.
type Other struct {
	Item *Item
	Why  Why
}

// lost is a post that is out from now on.
type lost struct {
	Key string
	Out Out
}

// learnt is what was read of a post.
type learnt struct {
	key string
	use Use
}

// Wake returns when a turn has to look at the slot: when it is to be prepared, or, readings take a while, a minute before it leaves.
func (v *Verdict) Wake() time.Time {
	switch {
	case v.Approve && !v.Held && !v.Approved && v.Kind == Asks:
		return v.Ask
	case v.Kind == Go || v.Kind == Asks:
		return v.At.Add(-time.Minute)
	}
	return v.At
}

// Early reports whether something is published, or asked for, whose Wake is still to come: since another post comes than was to be asked
// for, or since an edit has made something else of what was prepared. It is decided then: see Learn.
func (v *Verdict) Early(now time.Time) bool {
	return v.Kind.Publishes() && v.Wake().After(now.Add(time.Minute))
}
