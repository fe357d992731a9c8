package poll

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// messageTime is how the platform shows when a message was said: to the minute, in whatever zone.
const messageTime = "2 Jan, 2006 15:04"

// SaidAt returns when an own message of the batch was said, at the latest; zero where nobody knows. Times of messages have no zone, so
// what counts is how long it was before the newest one of the chat, whose age its row tells.
func (b *Batch) SaidAt(m *platform.Message) time.Time {
	if b.LastAt.IsZero() {
		return time.Time{}
	}
	last, err := time.Parse(messageTime, b.LastShown)
	if err != nil {
		return b.LastAt
	}
	shown, err := time.Parse(messageTime, m.Time)
	if err != nil || !shown.Before(last) {
		return b.LastAt
	}
	return b.LastAt.Add(time.Minute - last.Sub(shown)) // either may be most of a minute later than it shows
}

// saidAfter returns when a message was said at the earliest, where the newest one of its chat, which shows that time, was said then at the earliest;
// zero where nobody knows. Either may have been said most of a minute before or after what it shows.
func saidAfter(m, newest *platform.Message, earliest time.Time) time.Time {
	if m.ID == newest.ID || earliest.IsZero() {
		return earliest
	}
	last, err := time.Parse(messageTime, newest.Time)
	if err != nil {
		return time.Time{}
	}
	shown, err := time.Parse(messageTime, m.Time)
	if err != nil || shown.After(last) {
		return time.Time{}
	}
	return earliest.Add(shown.Sub(last) - time.Minute)
}
