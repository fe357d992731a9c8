package campaigns

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// Campaign is a plan of reposts or of own posts, as it was written. New makes it ready; it does not change afterwards and may be
// used by many at once.
type Campaign struct {
	ID      string // stays the same; what is remembered is remembered under it
	Name    string
	Account event.Account
	Do      Doing
	Status  Status
	Zone    *time.Location // of the clock on the wall that the slots are read from

	// Of and Behind are of a campaign that several accounts have: what they share is drawn from Of, and this one comes so much behind the clock on the wall.
	Of     string        `json:",omitempty"`
	Behind time.Duration `json:",omitempty"`

	Starts text.Day     // the first day
	Ends   text.Day     // the last day, included; the zero value: it never ends
	Lines  []Line       // when, as it was written
	Except []text.Dates // on which the lines of the week do not count
	Jitter time.Duration

	Items []Item // what takes turns
	// Drafts have no date yet: they are shown, and never come.
	Drafts []Item `json:",omitempty"`
	Turn   Turn
	// Each is how often an item comes, 0 for as often as there are slots. Gap is the least time between two publications of the
	// same post by this account, also when the first one was not of this campaign. Renews says that a post that is reposted may be
	// reposted anew.
	Each   int
	Gap    time.Duration
	Renews bool
	// StopAfter and UntilOlder end an item of a campaign that does not end: after so many times, and once its post is older.
	StopAfter  int
	UntilOlder time.Duration

	Total     text.Limit // publications of this campaign in a rolling time; Max 0: no limit
	Whole     int        // publications in the life of the campaign; 0: no limit
	KeepApart time.Duration
	Missed    Missed
	Team      string        // the team that approves; "" is everybody who may
	AtLeast   time.Duration // before the slot, an approval is over
	Stop      Stop
	Report    *Report // nil: nobody is told

	index map[string]int32 // items by key
	draws []uint64         // of the items, for shuffle
	words []string         // of texts that have an id, the TextKey; "" of other items
	hash  uint64           // of the ID
	week  [7][]int32       // lines by weekday
	dated []int32          // lines of a day, in the order of their days
	turns int              // items that take turns: the others belong to a line
}

// Doing is what a campaign does.
type Doing string

// What campaigns do.
const (
	Repost  Doing = "repost"
	Publish Doing = "publish"
)

// Status is a step of the ladder of trust.
type Status string

// The steps, from the most careful one on.
const (
	Paused Status = "paused" // slots pass
	Watch  Status = "watch"  // decides and records, publishes nothing
	Ask    Status = "ask"    // a person approves each slot
	Live   Status = "live"   // publishes
)

// atMost returns the more careful one of two. An empty one says nothing.
func (s Status) atMost(most Status) Status {
	if s == "" || most != "" && most.rung() < s.rung() {
		return most
	}
	return s
}

// rung counts the steps of the ladder.
func (s Status) rung() int {
	switch s {
	case Paused:
		return 1
	case Watch:
		return 2
	case Ask:
		return 3
	default:
		return 4
	}
}

// Turn is the order in which items take their turns.
type Turn string

// The orders. A round is over when every item that may come has come once.
const (
	InOrder   Turn = "in_order"   // as they are written; one that may not come now is first again the next time
	Shuffle   Turn = "shuffle"    // in another order each round, never the same one twice in a row as long as another may come
	LeastUsed Turn = "least_used" // the post that this campaign has used least, then the one that came longest ago. A post that missed rounds does not catch up
)

// Missed says what happens with a slot that could not be used at its minute: the bot or the platform was away, or something
// else had just been published.
type Missed struct {
	What   WhenMissed
	Within time.Duration // with Within
}

// WhenMissed is a word of Missed.
type WhenMissed string

// What becomes of a missed slot.
const (
	SkipMissed WhenMissed = "skip"      // it is lost, with the turn of its post: nothing else shifts
	Within     WhenMissed = "within"    // it may be used a while later
	NextSlot   WhenMissed = "next_slot" // it is lost, and its post keeps its turn: it takes the next slot
)

// Stop is what ends a campaign.
type Stop struct {
	Deleted  bool // one of its posts is gone
	Replies  bool // more than MoreThan replies with one of Words: the caller counts them, see Facts
	Warnings bool // of the account: the caller sees them

	Words    []string  // whole words or phrases, as they were written; there is one when Replies
	MoreThan text.Rate // in one rolling time; Max 0: the first such reply is enough, whenever it comes
}

// Report says which team is told how it went, and when: by the clock of the campaign's zone.
type Report struct {
	To    string
	Every text.WhenTime // of a week
}

// Line is a slot as it was written: Tue 09:30, or 2027-03-16 09:30. A line of a day may have its own post or text: the Key of an
// item that is in Items; "" takes the item that is next in turn.
type Line struct {
	When text.WhenTime
	Own  string
}

// Item is what is published: a post, a search for one, or a text of our own.
type Item struct {
	Key       string // PostKey, FoundKey, TextKey or TextIDKey: what is remembered of it is remembered under it, wherever it stands
	Post      platform.PostID
	Platform  string        `json:"-"` // what the hosts of the platform share to which the post's link leads; "": not known. It is read from the files alone
	From, Tag string        // a search: the newest post of this person, with this hashtag
	NewerThan time.Duration // ... that is younger at the slot
	Text      string        // of an own post, as it was written
	NotBefore text.Day      // the zero value: at any time
	Status    Status        // may be more careful than its campaign
	Only      bool          // belongs to a line and takes no turns
}

// PostKey returns the Key of an Item that is a post.
func PostKey(id platform.PostID) string { return fmt.Sprintf("post:%d", id) }

// FoundKey returns the Key of an Item that searches for a person's newest post with a hashtag.
func FoundKey(from, tag string) string { return strings.TrimSpace("from:" + from + " " + tag) }

// TextKey returns the Key of an Item with a text of our own, as it was written.
func TextKey(raw string) string { return fmt.Sprintf("text:%016x", hash(raw)) }

// TextIDKey returns the Key of an Item with a text of our own that has an id in its campaign: it is the same text, whatever words it gets.
func TextIDKey(campaign, id string) string { return "text:" + campaign + "/" + id }

// hasID reports whether the item is a text with an id.
func (i *Item) hasID() bool { return i.Text != "" && i.Key != TextKey(i.Text) }

// isSame reports whether people see the same of both items.
func (i *Item) isSame(other *Item) bool {
	return i.Text == other.Text && (i.Text != "" || i.Key == other.Key)
}

// Found reports whether the item is a search.
func (i *Item) Found() bool { return i.From != "" }

// Name is how the item is named to people.
func (i *Item) Name() string {
	switch {
	case i.From != "":
		return strings.TrimSpace("a post of " + i.From + " " + i.Tag)
	case i.Post != 0:
		return fmt.Sprint(int64(i.Post))
	}
	if r := []rune(i.Text); len(r) > 30 {
		return `"` + string(r[:29]) + `…"`
	}
	return `"` + i.Text + `"`
}

// New makes a campaign ready for Plan and Find. It does not check what people may have written wrongly, as the checker does; the error is about what
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
	c.hash = hash(cmp.Or(c.Of, c.ID))
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
	c.index, c.draws, c.words = make(map[string]int32, len(c.Items)), make([]uint64, len(c.Items)), make([]string, len(c.Items))
	for i := range c.Items {
		it := &c.Items[i]
		if _, twice := c.index[it.Key]; twice || it.Key == "" {
			return fmt.Errorf("campaign %s: %s is there twice", c.ID, it.Name())
		}
		if n := utf8.RuneCountInString(it.Text); it.Post == 0 && !it.Found() && (n > longestText || strings.TrimSpace(it.Text) == "") {
			return fmt.Errorf("campaign %s: a post has a text of 1 to %d characters, %s has %d", c.ID, longestText, it.Name(), n)
		}
		c.index[it.Key] = int32(i)
		if c.draws[i] = c.draw(it.Key); it.hasID() {
			c.words[i] = TextKey(it.Text)
		}
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

// Tagged reports whether a text has a hashtag, as a whole word, in upper or lower case; any text has the tag "".
func Tagged(text, tag string) bool {
	if tag == "" {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' && r != '_' })
	for _, w := range words {
		if w == strings.ToLower(tag) {
			return true
		}
	}
	return false
}
