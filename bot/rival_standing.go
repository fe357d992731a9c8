package bot

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// How long an account goes on whatever it sees of a rival.
const (
	sparedByPerson = 24 * time.Hour   // after a person has said so
	sparedAlone    = 10 * time.Minute // after nobody else has answered what it held, and each time twice as long
)

// Rivalry is how an account stands towards another bot that answers on it, with a memory of its own. It is kept in
// the store; see RivalryOf.
type Rivalry struct {
	// Stopped is since when nothing of the account leaves, because of the other bot; zero while it is at work.
	Stopped time.Time `json:"stopped,omitzero"`
	// Answer is the message of ours that came second, for which it stopped.
	Answer platform.MessageID `json:"answer,omitempty"`
	// Proven tells that since then somebody else has answered what this bot held.
	Proven bool `json:"proven,omitempty"`
	// Seen is when another bot was last seen to answer; zero for never.
	Seen time.Time `json:"seen,omitzero"`
	// Spared is until when the account does not stop by itself.
	Spared time.Time `json:"spared,omitzero"`
	// Alone is how often it has gone on by itself since nobody else answered what it held.
	Alone int `json:"alone,omitempty"`
}

// rivalryFact is the name under which a Rivalry is known of its account.
const rivalryFact = "rival"

// Knower is a store, as far as it tells what is known of an account.
type Knower interface {
	Known(ctx context.Context, account event.Account, name string) (event.Fact, bool, error)
}

// RivalryOf returns how an account stands, as it is stored. The error is that of the store.
func RivalryOf(ctx context.Context, st Knower, account event.Account) (Rivalry, error) {
	var r Rivalry
	f, ok, err := st.Known(ctx, account, rivalryFact)
	if err == nil && ok {
		err = json.Unmarshal(f.Value, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read whether another bot was seen on %s: %w", account, err)
	}
	return r, nil
}

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

// rivalry is a Rivalry with the evidence that this incarnation has. It changes by its methods alone, which know no clock.
type rivalry struct {
	Rivalry
	evidence
	first double    // that decided last
	told  time.Time // when it was last said that it goes on
}

// noteDouble takes in an event that was answered twice. The bot whose answer came second in the first conversation of the
// evidence stops; the other one sees the same, and goes on.
func (r *rivalry) noteDouble(d double, now time.Time) news {
	first, proof := r.add(d)
	if !proof {
		return noNews
	}
	r.Seen = now
	switch behind, stopped := first.isOursLater(), !r.Stopped.IsZero(); {
	case stopped && (behind || r.Proven || first.lowerID() > r.first.lowerID()):
		return noNews
	case stopped: // what it learns late, the other one may have known before
		r.Stopped, r.first, r.told = time.Time{}, first, now
		return leads
	case behind && !now.Before(r.Spared): //mutate:rival-behind
		r.Stopped, r.Answer, r.Proven, r.first = now, first.Ours, false, first
		return stops
	case now.Sub(r.told) < rivalWithin:
		return noNews
	case behind:
		r.told = now
		return insists
	}
	r.told = now
	return warns
}

// noteAnswered notes that somebody else has answered what this bot held.
func (r *rivalry) noteAnswered() news {
	if r.Stopped.IsZero() || r.Proven {
		return noNews
	}
	r.Proven, r.Alone = true, 0
	return proves
}

// noteAlone notes that nobody has answered what this bot holds, although there was time: it was a platform that delivers
// twice, or both bots have stopped, or the other one is gone.
func (r *rivalry) noteAlone(now time.Time) news {
	if r.Stopped.IsZero() || r.Proven {
		return noNews
	}
	r.Stopped, r.Spared = time.Time{}, now.Add(min(sparedAlone<<min(r.Alone, 10), sparedByPerson))
	r.Alone++
	return returns
}

// resume notes that a person wants the account to go on; false when it was not stopped.
func (r *rivalry) resume(now time.Time) (was bool) {
	was = !r.Stopped.IsZero()
	*r = rivalry{Rivalry: Rivalry{Seen: r.Seen, Spared: now.Add(sparedByPerson)}}
	return was
}
