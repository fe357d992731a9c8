package decision

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Input is everything that a decision depends on.
type Input struct {
	Trigger event.Trigger
	State   State
	Facts   Facts // what was read for this trigger
	Now     time.Time
	// Status makes everything act as if it had this status; "" as the files say. Tests are run Live.
	Status Status
	// Explain asks for every rule why it matched or not.
	Explain bool
	// Variants asks for what an action might have said instead.
	Variants bool
	// Paused is what somebody of ours has paused by hand, with the reason as people read it, which may be empty: rules
	// and conversations by their ids, and under "" everything. What would have answered is held back. It is kept with the
	// turn.
	Paused map[string]string
	// Sealed says that no more facts can be read: what is missing counts as not so.
	Sealed bool
}

// Facts are what was read for a trigger, by the names of Needs. Values are JSON.
type Facts map[string]json.RawMessage

// Need is a fact that a decision still needs.
type Need struct {
	Name     string
	Kind     needKind
	Post     platform.PostID // NeedPost
	LimitUse event.LimitUse  // NeedUses: the limit and its scope
	List     string          // NeedListed, NeedEntry
	Key      string          // NeedEntry: which entry; NeedAction: which action
}

// needKind says what is to be read.
type needKind uint8

// The kinds of need, with the Go type of the fact.
const (
	NeedProfile  needKind = iota + 1 // the person's profile: platform.Profile
	NeedFollower                     // whether the person follows us: bool
	NeedPost                         // the post: platform.Post
	NeedUses                         // how often a limit was used within its time: int
	NeedListed                       // whether the person is on a list: bool
	NeedEntry                        // whether a list has an entry: bool
	NeedAction                       // an action: ActionFact
	NeedCeiling                      // how much more may be said to the person until NECTAR_CEILING is reached: int
)

// ActionFact is the state of an action.
type ActionFact struct {
	State event.State `json:"state"`
	At    time.Time   `json:"at,omitzero"` // when it ended
	// Above says that it was withdrawn since so much was said to the person: NECTAR_CEILING.
	Above bool `json:"above,omitempty"`
}
