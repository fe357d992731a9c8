package conversation

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// State is what the store remembers of a conversation between turns.
type State struct {
	Key     event.Key
	Version int64 // counts the commits that changed it; 0: not stored yet

	Name string // the peer's name as last seen
	User string // the peer's user name without "@"

	// Owner says who answers: "" is the bot, anything else the person or team that took over.
	Owner      string
	OwnerSince time.Time
	// OwnerFor is how long after the owner's last message the bot speaks again; 0: at a fixed time, or
	// when it is given the conversation back.
	OwnerFor time.Duration
	// OwnerWrote is when a person of ours last wrote in it, as far as is known. It stays when the conversation
	// is given back.
	OwnerWrote time.Time
	// OwnerSaid is the highest id of the messages that a person of ours wrote in it, as far as is known; 0 for none.
	OwnerSaid platform.MessageID
	// Attended is when a person of ours last took it over, or gave it back, by a decision.
	Attended time.Time
	// Acked is when a person of ours last said that she sees to it.
	Acked time.Time
	// TakenBack is when what waited to be said in it was last taken back.
	TakenBack time.Time

	// Silence is what the person has asked for with a stop word: nothing automatic is said to them then.
	Silence Silence

	Labels []string // sorted
	Flow   Instance

	// Values is what plugins keep, by "plugin/name".
	Values map[string]json.RawMessage

	// Unreachable is until when messages to the peer are not tried, after a refusal.
	Unreachable time.Time
}

// Silence is that somebody wants to be told nothing automatic. The zero Silence is none.
type Silence struct {
	Since time.Time `json:"since,omitzero"` // when they asked for it
	// Untold: nobody has told them which word ends it, so that any message of theirs does.
	Untold bool `json:"untold,omitempty"`
}

// HasLabel reports whether the conversation carries the label.
func (s *State) HasLabel(label string) bool {
	_, ok := slices.BinarySearch(s.Labels, label)
	return ok
}

// AddLabel adds a label; it reports whether it was new.
func (s *State) AddLabel(label string) bool {
	i, ok := slices.BinarySearch(s.Labels, label)
	if !ok {
		s.Labels = slices.Insert(slices.Clone(s.Labels), i, label)
	}
	return !ok
}

// RemoveLabel removes a label; it reports whether it was there.
func (s *State) RemoveLabel(label string) bool {
	i, ok := slices.BinarySearch(s.Labels, label)
	if ok {
		s.Labels = slices.Delete(slices.Clone(s.Labels), i, i+1)
	}
	return ok
}
