package campaigns

import (
	"slices"
	"time"
)

// End returns the memory after a campaign has ended, for a reason in a sentence. One that has ended stays as it is.
func End(m Memory, at time.Time, why string) Memory {
	if m.Ended == nil {
		m.Ended = &Note{At: at, Why: why}
	}
	return m
}

// Unfinished returns the slots of which something may still become, in their order: once the campaign has ended, that is to be
// withdrawn.
func Unfinished(m Memory) []SlotID {
	var all []SlotID
	for id, e := range m.Book {
		if e.State.Open() {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, SlotID.compare)
	return all
}
