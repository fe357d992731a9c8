package rival

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
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
	since time.Time // when that was said for the first time, and the other one should have stopped

	certain int                // doubles for certain behind that, where it is a guess whose answer came first
	counted platform.MessageID // the last one of them
}

// noteDouble takes in an event that was answered twice. The bot whose answer came second in the first conversation of the
// evidence stops; the other one sees the same, and goes on.
func (s *standing) noteDouble(d double, now time.Time) news {
	first, proof := s.add(d)
	if d.Guessed && d.Weight == prompt && !s.since.IsZero() && d.At.After(s.since) && d.lowerID() > s.counted {
		s.certain, s.counted = s.certain+1, d.lowerID()
	}
	if !proof {
		return noNews
	}
	s.Seen = now
	switch behind, stopped := first.isOursLater(), !s.Stopped.IsZero(); {
	case stopped && (behind || s.Proven || first.lowerID() >= s.first.lowerID()):
		return noNews
	case stopped: // what it learns late, the other one may have known before
		s.Stopped, s.first, s.told, s.since, s.certain = time.Time{}, first, now, now, 0
		return leads
	case (behind || s.yields(d)) && !now.Before(s.Spared): //mutate:rival-behind
		s.Stopped, s.Answer, s.Proven, s.first, s.since, s.certain = now, first.Ours, false, first, time.Time{}, 0
		return stops
	case now.Sub(s.told) < rivalWithin:
		return noNews
	case behind:
		s.told = now
		return insists
	}
	if s.since.IsZero() || now.Sub(s.told) >= 2*rivalWithin { // the last time is over
		s.since, s.certain = now, 0
	}
	s.told = now
	return warns
}

// patientDoubles is how often people are answered twice for certain after the other bot should have stopped, before this one may stop itself.
const patientDoubles = 6

// yields reports whether the bot stops although its answer came first, as far as it knows. Where a platform does not name what was sent, of two messages
// with the same words both bots may take the first one for theirs, and both go on. Then one of them has to give way, by a lot that is another one for each.
func (s *standing) yields(d double) bool {
	return d.Guessed && d.Weight == prompt && s.certain >= patientDoubles && scatter(uint64(d.At.UnixMicro()))&1 == 0 //mutate:rival-yields
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

// drawLot returns 20 bits that are other ones for another bot, which has stopped at another moment.
func (s *standing) drawLot() uint64 { return scatter(uint64(s.Stopped.UnixMicro())) }

// scatter returns 20 bits for a number: even for neighbours they are wide apart.
func scatter(n uint64) uint64 { return n * 0x9e3779b97f4a7c15 >> 44 }

// toFacts returns how the account stands, as it is stored.
func (s *standing) toFacts(now time.Time) []event.Fact {
	value, err := json.Marshal(s.Rivalry)
	if err != nil {
		panic(err) // times and truths always encode
	}
	return []event.Fact{{Name: Fact, Value: value, ReadAt: now}}
}
