package emulator

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// EntryKind says what an Entry is about.
type EntryKind uint8

// What the ledger tells apart. People act through the methods of Platform, accounts through the
// API (Entry.ByAPI). Toggles are entered with the state that they led to: Liked or Unliked.
const (
	Said            EntryKind = iota + 1 // a person wrote a private message
	SaidByPhone                          // an account's owner wrote a private message without the API
	Arrived                              // a private message of an account came in through the API
	Posted                               // a post was written without the API
	Published                            // a post, or a reply to one, came in through the API
	Mentioned                            // a post names To
	Replied                              // Post answers a post of To
	Liked                                // From likes Post, which To wrote
	Unliked                              // From took the like back
	Reposted                             // From reposted Post, which To wrote
	Unreposted                           // From took the repost back
	Followed                             // From follows To
	Unfollowed                           // From follows To no longer
	FollowRequested                      // From asked to follow To, who has a private profile
	Blocked                              // From blocked To
	Unblocked                            // From took the block back
	Visited                              // From looked at the profile of To
	LoggedIn                             // From signed in
	Refreshed                            // From renewed its session
	Deleted                              // From deleted Message or Post
)

var kindNames = [...]string{
	Said: "said", SaidByPhone: "said by phone", Arrived: "arrived", Posted: "posted", Published: "published",
	Mentioned: "mentioned", Replied: "replied", Liked: "liked", Unliked: "unliked", Reposted: "reposted",
	Unreposted: "unreposted", Followed: "followed", Unfollowed: "unfollowed", FollowRequested: "follow requested",
	Blocked: "blocked", Unblocked: "unblocked", Visited: "visited", LoggedIn: "logged in", Refreshed: "refreshed",
	Deleted: "deleted",
}

// String returns the kind in lower-case words.
func (k EntryKind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return "unknown"
}

// Entry is one thing that happened on the platform. What does not apply to its kind is zero.
type Entry struct {
	Seq     int64           // position in the ledger, from 1, without gaps
	At      time.Time       // never earlier than that of the entry before
	Kind    EntryKind       // what happened
	ByAPI   bool            // done by an account through the API
	From    platform.UserID // who did it
	To      platform.UserID // to whom: the reader of a message, the author of a liked or reposted post
	Message platform.MessageID
	Post    platform.PostID
	Text    string // as the platform stored it
}

// chunkSize is the number of entries that are allocated at once. Entries are never moved, so that
// views of them stay valid while the ledger grows.
const chunkSize = 1024

// Ledger is everything that happened on the platform, in order. It only grows. The zero value is
// an empty ledger; it may be used by many goroutines and starts none.
type Ledger struct {
	mu     sync.Mutex // guards the fields below
	chunks [][]Entry  // all full but the last
	last   int64
	grown  chan struct{} // closed by the next add; nil while nobody waits
}

// add appends e, gives it its Seq and At and returns it so. It keeps the order in which it is
// called: to keep two changes in order, call it before giving up the lock on what changed.
func (l *Ledger) add(e Entry) Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.chunks)
	if n == 0 || len(l.chunks[n-1]) == chunkSize {
		l.chunks = append(l.chunks, make([]Entry, 0, chunkSize))
		n++
	}
	l.last++
	e.Seq, e.At = l.last, time.Now()
	l.chunks[n-1] = append(l.chunks[n-1], e)
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
	return e
}

// Len returns the number of entries, which is also the Seq of the last one.
func (l *Ledger) Len() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Since returns a copy of the entries after position seq; all of them for 0.
func (l *Ledger) Since(seq int64) []Entry {
	return slices.Concat(l.views(seq)...)
}

// After returns the entries that are there now after position seq, without a copy of them all.
func (l *Ledger) After(seq int64) iter.Seq[Entry] {
	views := l.views(seq)
	return func(yield func(Entry) bool) {
		for _, entries := range views {
			for _, e := range entries {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// views returns the entries after position seq without copying them. They must not be changed.
func (l *Ledger) views(seq int64) [][]Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq = max(seq, 0)
	if seq >= l.last {
		return nil
	}
	first := int(seq / chunkSize)
	out := slices.Clone(l.chunks[first:])
	out[0] = out[0][seq%chunkSize:]
	return out
}

// Wait returns nil as soon as there is an entry after position seq, and the context's error when
// ctx ends before.
func (l *Ledger) Wait(ctx context.Context, seq int64) error {
	for {
		l.mu.Lock()
		if l.last > seq {
			l.mu.Unlock()
			return nil
		}
		if l.grown == nil {
			l.grown = make(chan struct{})
		}
		grown := l.grown
		l.mu.Unlock()
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
