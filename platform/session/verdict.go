package session

import (
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Where the platform refuses with code 400 what may not be – a message to who has blocked the account –, each refusal would be a probe as
// well. So a verdict that a probe has given holds for some seconds, for refusals that are the same one: of the same call, in the same words. They
// are compared, not understood. Another refusal, or one without words, may be how this platform says that the session has ended since.

const (
	verdictHolds = 5 * time.Second
	fewWords     = 16 // refusals that are remembered
)

// wording is what refusals are compared by.
type wording struct {
	endpoint, message string
	status            int
}

func wordingOf(r *platform.Refused) (w wording, ok bool) {
	return wording{r.Endpoint, r.Message, r.HTTPStatus}, r.Code == http.StatusBadRequest && r.Message != ""
}

// verdicts are the refusals that are known to be about the calls, and until when. Broker.mu guards them.
type verdicts map[wording]time.Time

// noteVerdict notes that a refusal was genuine, by a probe that was answered at a time; zero for one that was not.
func (v *verdicts) noteVerdict(r *platform.Refused, at time.Time) {
	w, ok := wordingOf(r)
	if !ok || at.IsZero() {
		return
	}
	if *v == nil || len(*v) >= fewWords {
		*v = verdicts{}
	}
	(*v)[w] = at.Add(verdictHolds)
}

// isGenuine reports whether a refusal is as one that was genuine a moment ago.
func (v verdicts) isGenuine(r *platform.Refused, now time.Time) bool {
	w, ok := wordingOf(r)
	return ok && now.Before(v[w])
}

// past is what is remembered of sessions before this one. Broker.mu guards it.
type past struct {
	grants []grant         // of the last hour, the oldest first
	ends   map[string]bool // the words of refusals that came from an ended session: no verdict holds for these
}

func (b *Broker) pastLocked() *past {
	if b.past == nil {
		b.past = &past{}
	}
	return b.past
}

// learnEnd notes in which words a call was refused because its session had ended.
func (b *Broker) learnEnd(r *platform.Refused) {
	w, ok := wordingOf(r)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.pastLocked()
	if p.ends == nil {
		p.ends = map[string]bool{}
	}
	if len(p.ends) < fewWords {
		p.ends[w.message] = true
	}
}

// maySayEnd reports whether a refusal may say that its session has ended.
func (p *past) maySayEnd(r *platform.Refused) bool {
	return p != nil && (p.ends[r.Message] || len(p.ends) >= fewWords)
}
