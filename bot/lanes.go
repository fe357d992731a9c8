package bot

import (
	"sync"
	"sync/atomic"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// idleLanes is how many lanes are remembered with their conversation, to spare reading it: of all accounts together.
const idleLanes = 10_000

// lanes are those of an account, by the peer of their conversation. They alone take one in, and forget one. A lane tells by itself where
// it stands, so that who looks at many of them waits for none.
type lanes struct {
	count *atomic.Int64 // of all accounts

	mu sync.Mutex // guards the fields below
	of map[platform.UserID]*lane
}

// lockLane returns the lane of a conversation, locked, for something to be put into it.
func (a *account) lockLane(key event.Key) *lane {
	a.lanes.mu.Lock()
	defer a.lanes.mu.Unlock()
	l := a.lanes.of[key.Peer]
	if l == nil {
		a.lanes.forgetIdleLocked()
		l = &lane{key: key, account: a}
		if a.lanes.of == nil {
			a.lanes.of = map[platform.UserID]*lane{}
		}
		a.lanes.of[key.Peer] = l
		a.lanes.count.Add(1)
	}
	l.mu.Lock()
	if l.state() == laneIdle { // before the lanes are given back, so that it is not forgotten in between
		l.enterLocked(laneWaiting) //mutate:lane-kept
	}
	return l
}

// lookup returns the lane of a conversation; nil when there is none.
func (ls *lanes) lookup(peer platform.UserID) *lane {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.of[peer]
}

// each calls f with each lane.
func (ls *lanes) each(f func(l *lane)) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.of {
		f(l)
	}
}

// forgetIdleLocked makes room for a new lane.
func (ls *lanes) forgetIdleLocked() {
	looks := 8
	for peer, l := range ls.of {
		if ls.count.Load() < idleLanes || looks == 0 {
			return
		}
		looks--
		if l.state() == laneIdle {
			delete(ls.of, peer)
			ls.count.Add(-1)
		}
	}
}

// clear forgets all of them.
func (ls *lanes) clear() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.count.Add(-int64(len(ls.of)))
	ls.of = nil
}
