package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
	"golang.org/x/crypto/chacha20poly1305"
)

// secret is what is made of a NECTAR_SECRET_KEY. The zero value is none.
type secret struct {
	print [8]byte     // its fingerprint: tells which one it is, and nothing about it
	aead  cipher.AEAD // seals keys
	old   cipher.AEAD // opens sessions as they were sealed before there were keys
	hash  []byte      // of people who sign in, see person
}

func (s *secret) given() bool { return s.aead != nil }

func newSecret(key platform.Secret) (s secret, err error) {
	if key == "" {
		return s, nil
	}
	derive := func(what string, n int) []byte {
		var out []byte
		if err == nil {
			out, err = hkdf.Key(sha256.New, []byte(key.Reveal()), nil, what, n)
		}
		return out
	}
	seals, session := derive("nectar keys", chacha20poly1305.KeySize), derive("nectar session", 32)
	copy(s.print[:], derive("nectar fingerprint", len(s.print)))
	s.hash = derive("nectar person", sha256.Size)
	if err == nil {
		s.aead, err = chacha20poly1305.NewX(seals)
	}
	if err == nil {
		var block cipher.Block
		if block, err = aes.NewCipher(session); err == nil {
			s.old, err = cipher.NewGCMWithRandomNonce(block)
		}
	}
	if err != nil {
		return secret{}, fmt.Errorf("use NECTAR_SECRET_KEY: %w", err)
	}
	return s, nil
}

// person returns what tells one who signs in from others, and nothing about them to whoever has not the secret; nil for nobody.
func (s *secret) person(who string) []byte {
	if who == "" {
		return nil
	}
	sum := hmac.New(sha256.New, s.hash)
	_, _ = sum.Write([]byte(who)) // a hash takes everything
	return sum.Sum(nil)
}

// newKey returns a fresh key.
func newKey() []byte {
	key := make([]byte, chacha20poly1305.KeySize)
	_, _ = rand.Read(key) // it never fails
	return key
}

// wrap seals a key; its number is bound to it.
func (s *secret) wrap(number uint16, key []byte) []byte {
	nonce := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(key)+chacha20poly1305.Overhead)
	_, _ = rand.Read(nonce) // it never fails
	return s.aead.Seal(nonce, nonce, key, []byte{byte(number >> 8), byte(number)})
}

// unwrap opens what wrap made.
func (s *secret) unwrap(number uint16, box []byte) ([]byte, error) {
	if len(box) < chacha20poly1305.NonceSizeX {
		return nil, errChanged
	}
	key, err := s.aead.Open(nil, box[:chacha20poly1305.NonceSizeX], box[chacha20poly1305.NonceSizeX:], []byte{byte(number >> 8), byte(number)})
	if err != nil {
		return nil, errChanged
	}
	return key, nil
}
