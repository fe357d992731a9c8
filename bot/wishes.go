package bot

import (
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// wishes are what people asked of an account while no bot ran. Until all of it is stored, what an earlier incarnation has decided
// stays where it is: somebody may want just that not to leave.
type wishes struct {
	mu   sync.Mutex         // guards the fields below
	open map[int64]struct{} // by event.Request.Number
	end  *time.Timer
}

// wishPatience is how long a start waits for that: a turn may need a platform that does not answer.
const wishPatience = 10 * time.Second

// restoreWishes has the dispatcher wait for what people asked for. A pause counts already; see restorePauses.
func (a *account) restoreWishes(asked []event.Request) {
	a.wishes.mu.Lock()
	defer a.wishes.mu.Unlock()
	for i := range asked {
		switch asked[i].Wish {
		case event.WishPause, event.WishGoOn, event.WishResume:
		default:
			if a.wishes.open == nil {
				a.wishes.open = map[int64]struct{}{}
			}
			a.wishes.open[asked[i].Number] = struct{}{}
		}
	}
	if len(a.wishes.open) > 0 {
		a.outbox.DeferStored() //mutate:wished-wait
	}
}

// takeWaiting brings what people asked for while no bot ran into the lanes, before anything else of a start: what they want goes
// before what the time has made due.
func (a *account) takeWaiting(asked []event.Request) {
	a.takeRequests(asked, 0)
	a.awaitWishes()
}

// awaitWishes ends the waiting when it has lasted too long. What is asked for is in its lane by now.
func (a *account) awaitWishes() {
	a.wishes.mu.Lock()
	defer a.wishes.mu.Unlock()
	if len(a.wishes.open) == 0 {
		return
	}
	a.wishes.end = time.AfterFunc(wishPatience, func() {
		a.wishes.mu.Lock()
		defer a.wishes.mu.Unlock()
		n := len(a.wishes.open)
		if n == 0 || a.term.Err() != nil { // all is done, or the term has ended
			return
		}
		a.bot.log.Warn("what people asked for while no bot ran is not done yet; what was decided before leaves meanwhile",
			"account", a.name, "requests", n)
		clear(a.wishes.open)
		a.outbox.ReleaseStored(a.term) //mutate:wished-end
	})
}

// noteGranted notes that what people asked for is stored.
func (a *account) noteGranted(q *event.Request) {
	if q == nil {
		return
	}
	a.wishes.mu.Lock()
	defer a.wishes.mu.Unlock()
	if _, ok := a.wishes.open[q.Number]; !ok {
		return
	}
	if delete(a.wishes.open, q.Number); len(a.wishes.open) > 0 {
		return
	}
	if a.wishes.end != nil {
		a.wishes.end.Stop()
	}
	a.outbox.ReleaseStored(a.term)
}
