package audit

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Count is how many events, and messages of the account, an audit found.
type Count struct {
	Seen        int `json:"seen"`        // events that the platform shows
	Handled     int `json:"handled"`     // of those: decided
	Pending     int `json:"pending"`     // stored, and wait for their turn
	Quarantined int `json:"quarantined"` // stored, and given up until a person decides
	Ahead       int `json:"ahead"`       // newer than the bot's last poll: it will read them
	Missing     int `json:"missing"`     // not stored, although the bot polled since

	Sent    int `json:"sent"`     // messages of the account that the ledger knows
	Person  int `json:"person"`   // messages of the account that a person wrote
	InDoubt int `json:"in_doubt"` // messages of the account that are a person's, or the bot's and not reconciled yet
	Unshown int `json:"unshown"`  // messages that arrived, as the ledger says, that the platform does not show, and that the bot did not delete
}

func (c *Count) add(o Count) {
	c.Seen += o.Seen
	c.Handled += o.Handled
	c.Pending += o.Pending
	c.Quarantined += o.Quarantined
	c.Ahead += o.Ahead
	c.Missing += o.Missing
	c.Sent += o.Sent
	c.Person += o.Person
	c.InDoubt += o.InDoubt
	c.Unshown += o.Unshown
}

// Conversation is what was found with one person.
type Conversation struct {
	Peer platform.UserID `json:"peer"`
	Name string          `json:"name"` // as shown, perhaps empty
	Count

	MissingEvents  []string `json:"missing_events,omitempty"`  // their ids
	UnshownActions []string `json:"unshown_actions,omitempty"` // their keys
}

// Report is what an audit of one account found.
type Report struct {
	Account event.Account `json:"account"`
	Since   time.Time     `json:"since"` // what the bot saw before was not looked at
	Total   Count         `json:"total"`
	// Conversations are those with something wrong, the worst first, and then the others.
	Conversations []*Conversation `json:"conversations"`
	// Notes say what was not looked at, and why.
	Notes []string `json:"notes,omitempty"`
	// Compared is how many sources were compared: notifications, mentions and messages.
	Compared int `json:"compared"`
	// Unread is how many chats the platform refused to show. Nobody knows what is missing there.
	Unread int `json:"unread"`
}

// OK reports whether something was compared, nothing is missing, nothing that was sent has gone, and no chat
// was refused.
func (r *Report) OK() bool {
	return r.Compared > 0 && r.Total.Missing == 0 && r.Total.Unshown == 0 && r.Unread == 0
}

// tally is a report as it grows.
type tally struct {
	by       map[platform.UserID]*Conversation
	notes    []string
	compared int
	unread   int
}

// conversationWith returns the conversation with a person.
func (t *tally) conversationWith(peer platform.UserID, name string) *Conversation {
	c := t.by[peer]
	if c == nil {
		c = &Conversation{Peer: peer}
		t.by[peer] = c
	}
	if c.Name == "" {
		c.Name = name
	}
	return c
}

// makeReport sums up.
func (t *tally) makeReport(cfg *Config) Report {
	r := Report{Account: cfg.Account, Since: cfg.Since, Notes: t.notes, Compared: t.compared, Unread: t.unread}
	for _, c := range t.by {
		r.Total.add(c.Count)
		slices.Sort(c.MissingEvents)
		slices.Sort(c.UnshownActions)
	}
	r.Conversations = slices.SortedFunc(maps.Values(t.by), func(x, y *Conversation) int {
		return cmp.Or(
			cmp.Compare(y.Missing+y.Unshown, x.Missing+x.Unshown),
			cmp.Compare(y.Quarantined, x.Quarantined), cmp.Compare(y.Pending, x.Pending), cmp.Compare(x.Peer, y.Peer),
		)
	})
	return r
}
