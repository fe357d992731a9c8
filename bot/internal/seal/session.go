package seal

import (
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
)

// Session opens a stored session.
func (v *Vault) Session(account event.Account, box []byte) (string, error) {
	switch {
	case len(box) == 0:
		return "", errors.New("the stored session is empty")
	case box[0] == sealedFormat && v.Closed():
		return "", ErrSealed
	case box[0] == sealedFormat:
		return v.Open(SessionTokens.Of(account, ""), box)
	default:
		return v.Secret.OpenSession(account, box)
	}
}

// The first byte of a session that was stored before there were keys.
const (
	ClearSession = 0
	firstSession = 1 // sealed with NECTAR_SECRET_KEY itself
)

// OpenSession opens a session that was stored before there were keys, or is stored in the clear.
func (s *Secret) OpenSession(account event.Account, box []byte) (string, error) {
	if box[0] == ClearSession {
		return string(box[1:]), nil
	}
	if box[0] != firstSession || s.old == nil {
		return "", ErrSealed
	}
	text, err := s.old.Open(nil, nil, box[1:], []byte(account))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}
