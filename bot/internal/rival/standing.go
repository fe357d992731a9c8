package rival

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// How long an account goes on although it sees a rival.
const (
	sparedByPerson = 24 * time.Hour   // after a person has said so
	sparedAlone    = 10 * time.Minute // after nobody else has answered what it held, and each time twice as long
)

// news is what changes for an account.
type news uint8

const (
	noNews  news = iota
	stops        // nothing leaves any more
	warns        // it goes on, and the other one should stop
	leads        // the same, and it had stopped
	insists      // it goes on, since it was told to
	proves       // it was right to stop
	returns      // it goes on again, since nobody else answers
)

// standing is a Rivalry with the evidence that this incarnation has. It changes by its methods alone, which know no clock.
type standing struct {
	record.Rivalry
	evidence
	first double    // that decided last
	told  time.Time // when it was last said that it goes on
}

// noteDouble takes in an event that was answered twice. The bot whose answer came second in the first conversation of the
// evidence stops; the other one sees the same, and goes on.
func (s *standing) noteDouble(d double, now time.Time) news {
	first, proof := s.add(d)
	if !proof {
		return noNews
	}
	s.Seen = now
	switch behind, stopped := first.isOursLater(), !s.Stopped.IsZero(); {
	case stopped && (behind || s.Proven || first.lowerID() > s.first.lowerID()):
		return noNews
	case stopped: // what it learns late, the other one may have known before
		s.Stopped, s.first, s.told = time.Time{}, first, now
		return leads
	case behind && !now.Before(s.Spared): //mutate:rival-behind
		s.Stopped, s.Answer, s.Proven, s.first = now, first.Ours, false, first
		return stops
	case now.Sub(s.told) < rivalWithin:
		return noNews
	case behind:
		s.told = now
		return insists
	}
	s.told = now
	return warns
}

// noteAnswered notes that somebody else has answered what this bot held.
func (s *standing) noteAnswered() news {
	if s.Stopped.IsZero() || s.Proven {
		return noNews
	}
	s.Proven, s.Alone = true, 0
	return proves
}

// noteAlone notes that nobody has answered what this bot holds, although there was time: it was a platform that delivers
// twice, or both bots have stopped, or the other one is gone.
func (s *standing) noteAlone(now time.Time) news {
	if s.Stopped.IsZero() || s.Proven {
		return noNews
	}
	s.Stopped, s.Spared = time.Time{}, now.Add(min(sparedAlone<<min(s.Alone, 10), sparedByPerson))
	s.Alone++
	return returns
}

// resume notes that a person wants the account to go on; false when it was not stopped.
func (s *standing) resume(now time.Time) (was bool) {
	was = !s.Stopped.IsZero()
	*s = standing{Rivalry: record.Rivalry{Seen: s.Seen, Spared: now.Add(sparedByPerson)}}
	return was
}

// drawLot returns 20 bits that are other ones for another bot, which has stopped for another answer: even for neighbours they are wide apart.
func (s *standing) drawLot() uint64 { return uint64(s.Answer) * 0x9e3779b97f4a7c15 >> 44 }

// toFacts returns how the account stands, as it is stored.
func (s *standing) toFacts(now time.Time) []event.Fact {
	value, err := json.Marshal(s.Rivalry)
	if err != nil {
		panic(err) // times and truths always encode
	}
	return []event.Fact{{Name: Fact, Value: value, ReadAt: now}}
}
