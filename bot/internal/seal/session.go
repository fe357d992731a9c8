package seal

import (
	"errors"

	"github.com/nectar-bot/nectar/bot/event"
)

// OpenSession opens a stored session.
func (v *Vault) OpenSession(account event.Account, sealed []byte) (string, error) {
	switch {
	case len(sealed) == 0:
		return "", errors.New("the stored session is empty")
	case sealed[0] == sealedFormat && v.IsClosed():
		return "", ErrSealed
	case sealed[0] == sealedFormat:
		return v.Open(SessionTokens.CellOf(account, ""), sealed)
	default:
		return v.Secret.OpenSession(account, sealed)
	}
}

// The first byte of a session that was stored before there were keys.
const (
	ClearSession = 0
	firstSession = 1 // sealed with NECTAR_SECRET_KEY itself
)

// OpenSession opens a session that was stored before there were keys, or is stored in the clear.
func (s *Secret) OpenSession(account event.Account, sealed []byte) (string, error) {
	if sealed[0] == ClearSession {
		return string(sealed[1:]), nil
	}
	if sealed[0] != firstSession || s.old == nil {
		return "", ErrSealed
	}
	text, err := s.old.Open(nil, nil, sealed[1:], []byte(account))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}
