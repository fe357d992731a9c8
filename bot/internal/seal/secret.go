package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/nectar-bot/nectar/platform"
	"golang.org/x/crypto/chacha20poly1305"
)

// Secret is what is made of a NECTAR_SECRET_KEY. The zero value is none.
type Secret struct {
	Print [8]byte     // its fingerprint: tells it from other secrets, and reveals nothing of it
	aead  cipher.AEAD // seals keys
	old   cipher.AEAD // opens sessions as they were sealed before there were keys
	Hash  []byte      // of people who sign in, see person
}

// IsGiven reports whether there is one.
func (s *Secret) IsGiven() bool { return s.aead != nil }

// NewSecret makes what is needed of a NECTAR_SECRET_KEY; of "" the zero value.
func NewSecret(key platform.Secret) (s Secret, err error) {
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
	// One secret, a key for each use: the fingerprint stands in the clear in the database, and must tell nothing of what seals.
	seals, session := derive("nectar keys", chacha20poly1305.KeySize), derive("nectar session", 32)
	copy(s.Print[:], derive("nectar fingerprint", len(s.Print)))
	s.Hash = derive("nectar person", sha256.Size)
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
		return Secret{}, fmt.Errorf("use NECTAR_SECRET_KEY: %w", err)
	}
	return s, nil
}

// PersonHash returns a hash that tells one who signs in from others; without the secret it says nothing about them. It is nil for "".
func (s *Secret) PersonHash(who string) []byte {
	if who == "" {
		return nil
	}
	sum := hmac.New(sha256.New, s.Hash)
	_, _ = sum.Write([]byte(who)) // a hash takes everything
	return sum.Sum(nil)
}

// FingerprintNumber is the fingerprint as a number.
func (s *Secret) FingerprintNumber() int64 { return int64(binary.BigEndian.Uint64(s.Print[:])) }

// NewKey returns a fresh key.
func NewKey() []byte {
	key := make([]byte, chacha20poly1305.KeySize)
	_, _ = rand.Read(key) // it never fails
	return key
}

// Wrap seals a key; its number is bound to it.
func (s *Secret) Wrap(number uint16, key []byte) []byte {
	nonce := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(key)+chacha20poly1305.Overhead)
	_, _ = rand.Read(nonce) // it never fails
	return s.aead.Seal(nonce, nonce, key, []byte{byte(number >> 8), byte(number)})
}

// unwrap opens what wrap made.
func (s *Secret) unwrap(number uint16, sealed []byte) ([]byte, error) {
	if len(sealed) < chacha20poly1305.NonceSizeX {
		return nil, ErrChanged
	}
	key, err := s.aead.Open(nil, sealed[:chacha20poly1305.NonceSizeX], sealed[chacha20poly1305.NonceSizeX:], []byte{byte(number >> 8), byte(number)})
	if err != nil {
		return nil, ErrChanged
	}
	return key, nil
}
