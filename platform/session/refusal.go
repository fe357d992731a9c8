package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// errHeeded is why a session is not even asked for.
var errHeeded = errors.New("signing in: the credentials were refused a while ago")

// Refusal is that the platform has refused an account's credentials. The next process that serves the account has to know it: another try at
// once may lock the account. It tells the credentials from others, and has to be kept as secret as what is sealed.
type Refusal struct {
	Of     string    `json:"of"`
	Until  time.Time `json:"until,omitzero"` // nobody asks again before; zero for a social sign-in, which cannot be renewed
	Times  int       `json:"times"`          // in a row
	Parked bool      `json:"parked,omitempty"`
}

// mark tells credentials from others, also of the same account.
func (c Credentials) mark() string {
	sum := sha256.Sum256([]byte(c.identityKey() + "\x00" + c.Password.Reveal() + "\x00" + c.OAuthToken.Reveal()))
	return hex.EncodeToString(sum[:8])
}

// Heed takes up a refusal that somebody else has met, if it was of the same credentials. It has to be called before the first
// session is asked for.
func (b *Broker) Heed(r Refusal) {
	now := time.Now()
	if r.Of != b.cfg.mark() || !r.Parked && !r.Until.After(now) {
		return
	}
	p := &pause{refusals: r.Times}
	if r.Parked {
		p.reason, p.err = forGood, &ParkedError{Account: b.cfg.Account, Provider: b.cfg.OAuthType, Err: errHeeded}
	} else {
		p.reason, p.until = byRefusal, now.Add(min(r.Until.Sub(now), b.cfg.MaxPause*6/5))
		p.err = &PausedError{Account: b.cfg.Account, Until: p.until, Refused: true, Err: errHeeded}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pause = p
}

// asRefusal tells of a pause that others have to heed; false for any other.
func (p *pause) asRefusal(c *Credentials) (Refusal, bool) {
	switch {
	case p.reason == byRefusal:
		return Refusal{Of: c.mark(), Until: p.until, Times: p.refusals}, true
	case p.reason == forGood && c.OAuthType != "" && !isAnother(p.err):
		return Refusal{Of: c.mark(), Parked: true, Times: p.refusals}, true
	}
	return Refusal{}, false
}
