package demo

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Publication is a repost that an account with campaigns has made, as the platform saw it.
type Publication struct {
	Left, Came time.Time // its first request, and when it was there: of a renewal, its undo and its repost
	Renewal    bool
}

// shopped is what an account did with a post.
type shopped struct {
	publications []Publication // in the order in which they came
	away         bool          // at the end: taken back, and not made again
	undone       time.Time     // when it was taken back last
}

// shopPost is a post as an account reposts it.
type shopPost struct {
	account platform.UserID
	post    platform.PostID
}

// shopLedger is what accounts did with posts through the API.
type shopLedger map[shopPost]*shopped

// ReadShops reads what happened to posts from the ledger of the platform.
func ReadShops(entries []emulator.Entry) shopLedger {
	l := shopLedger{}
	for i := range entries {
		if e := &entries[i]; e.ByAPI && (e.Kind == emulator.Reposted || e.Kind == emulator.Unreposted) {
			p := shopPost{e.From, e.Post}
			if l[p] == nil {
				l[p] = &shopped{}
			}
			l[p].add(e)
		}
	}
	return l
}

// DoneWith returns what an account did with a post.
func (l shopLedger) DoneWith(account platform.UserID, post platform.PostID) shopped {
	if s := l[shopPost{account, post}]; s != nil {
		return *s
	}
	return shopped{}
}

func (s *shopped) add(e *emulator.Entry) {
	if e.Kind == emulator.Unreposted {
		s.away, s.undone = true, e.At
		return
	}
	p := Publication{Left: e.At, Came: e.At, Renewal: s.away}
	if s.away {
		p.Left, s.away = s.undone, false
	}
	s.publications = append(s.publications, p)
}
