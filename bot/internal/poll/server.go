package poll

import (
	"errors"
	"net/http"
	"sync"

	"github.com/nectar-bot/nectar/platform"
)

// order says which page get_messages returns when more than a page follows offset_down.
type order uint8

const (
	orderUnknown order = iota
	oldestFirst
	newestFirst
)

// seeing says whether get_messages marks messages as seen, so that the unread count falls.
type seeing uint8

const (
	seeingUnknown seeing = iota
	marksSeen
	keepsUnseen
)

const (
	fewRows    = 10 // a page this short says little about the largest one
	orderTries = 3  // to learn the order

	// So many answers in a row mean that get_messages does not exist. Code 400 may also be about the
	// other person, so it takes as many as there are chats, within bounds.
	missingTimes = 2
	refusedTimes = 5
)

// server is what was learned about get_messages, none of which is documented. Everything starts as
// unknown; what is unknown costs additional calls, never a message.
type server struct {
	mu      sync.Mutex // guards the fields below
	largest int        // rows of the largest page seen: the platform's own limit is no smaller
	order   order
	tries   int
	seeing  seeing
	works   bool // it answered once
	missing int  // answers in a row that it does not exist
}

// errNoMessages is get_messages that does not exist.
var errNoMessages = errors.New("the platform has no get_messages")

// cut takes the length of a page and reports whether the page may have been cut, so that more is there.
// A page shorter than the largest one is whole. One row less may be the row at the cursor, which
// the client leaves out.
func (s *server) cut(rows, asked int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Who believes that a page was whole and is wrong moves the cursor over what was cut off. The longest page seen is never
	// longer than the platform's own limit, so it errs on the side of asking again.
	known := min(asked, s.largest)
	s.largest = max(s.largest, rows)
	if known >= fewRows {
		known--
	}
	return rows >= known
}

// provesLastPage reports whether a page that was not cut is the last one for sure: the largest one is no longer a short one.
func (s *server) provesLastPage(asked int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(asked, s.largest) >= fewRows
}

func (s *server) knownOrder() (order, seeing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order, s.seeing
}

// wantsOrder reports whether it is worth a call to learn the order.
func (s *server) wantsOrder() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order == orderUnknown && s.tries < orderTries
}

// learnOrder takes the answer to a question for one row, when those from first on were there.
func (s *server) learnOrder(first platform.MessageID, answer []platform.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.order != orderUnknown:
	case len(answer) != 1:
		s.tries++
	case answer[0].ID == first:
		s.order = oldestFirst
	default:
		s.order = newestFirst
	}
}

// resume takes up whether an earlier incarnation has had an answer.
func (s *server) resume(works bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.works = works
}

// learnSeeing notes what became of the unread count of a chat that was read.
func (s *server) learnSeeing(seen seeing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A count that stays is proof; one that falls may be the owner's phone.
	if seen == keepsUnseen || s.seeing == seeingUnknown {
		s.seeing = seen
	}
}

// noteAnswer takes the outcome of a call, of an account with so many chats. The error of an endpoint
// that does not exist becomes errNoMessages when it repeats, unless it ever worked; a code 404 of
// one that works means that there is nothing.
func (s *server) noteAnswer(err error, chats int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.works, s.missing = true, 0
	case s.works:
		// It has answered before, so the endpoint is there, and 404 is about this chat alone.
		if refused := (*platform.Refused)(nil); errors.As(err, &refused) && refused.Code == http.StatusNotFound {
			return nil
		}
	case platform.Absent(err):
		s.missing++
		enough := missingTimes
		if errors.Is(err, platform.ErrInvalid) {
			enough = min(max(chats, missingTimes), refusedTimes)
		}
		if s.missing >= enough {
			return errors.Join(errNoMessages, err)
		}
	default:
		s.missing = 0
	}
	return err
}
