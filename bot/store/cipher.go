package store

import (
	"crypto/aes"
	stdcipher "crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
)

// cipher seals what must not be read from the file. The zero value leaves it in the clear.
type cipher struct {
	aead stdcipher.AEAD
}

const (
	plain  = 0 // first byte of a sealed text: how it was sealed
	sealed = 1
)

// ErrSealed is the error of reading a session that was stored with another key.
var ErrSealed = errors.New("the stored session was encrypted with another NECTAR_SECRET_KEY")

func newCipher(key platform.Secret) (cipher, error) {
	if key == "" {
		return cipher{}, nil
	}
	k, err := hkdf.Key(sha256.New, []byte(key.Reveal()), nil, "nectar session", 32)
	if err != nil {
		return cipher{}, fmt.Errorf("derive the session key: %w", err)
	}
	block, err := aes.NewCipher(k)
	if err != nil {
		return cipher{}, fmt.Errorf("make the session cipher: %w", err)
	}
	aead, err := stdcipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return cipher{}, fmt.Errorf("make the session cipher: %w", err)
	}
	return cipher{aead}, nil
}

// seal encodes v; account is bound to it, so that a row copied to another account does not open.
func (c cipher) seal(v any, account string) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the session: %w", err)
	}
	if c.aead == nil {
		return append([]byte{plain}, text...), nil
	}
	return c.aead.Seal([]byte{sealed}, nil, text, []byte(account)), nil //nolint:gosec // this AEAD makes its nonces itself
}

func (c cipher) open(v any, box []byte, account string) error {
	if len(box) == 0 {
		return errors.New("the stored session is empty")
	}
	text := box[1:]
	if box[0] == sealed {
		if c.aead == nil {
			return ErrSealed
		}
		opened, err := c.aead.Open(nil, nil, text, []byte(account))
		if err != nil {
			return ErrSealed
		}
		text = opened
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("decode the stored session: %w", err)
	}
	return nil
}
