package store

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/chacha20poly1305"
)

// Errors of what is sealed.
var (
	// ErrSealed is the error of opening a database in which something is sealed with another NECTAR_SECRET_KEY.
	ErrSealed = errors.New("what people said in it is encrypted with another NECTAR_SECRET_KEY: set that one, " +
		"or let the bot go on without what is encrypted: nectar run --forget-sealed")
	// ErrNoKey is the error of opening a database in which something is sealed, without a key; and of what a desk
	// without one cannot store.
	ErrNoKey = errors.New("what people said in it is encrypted, and NECTAR_SECRET_KEY is not set: set it, " +
		"or let the bot go on without what is encrypted: nectar run --forget-sealed")
	// errChanged is the error of a value that does not open although its key is there.
	errChanged = errors.New("a value in the database was changed from outside, or moved to another row")
)

// vault seals what people said, and what is known of them. Sealed, a value is stored as a BLOB, so that it is
// never taken for a text: the format, the number of the key, a nonce, and what XChaCha20-Poly1305 makes of it and of
// the cell where it stands. Nonces of 24 random bytes do not meet, however much is sealed.
type vault struct {
	secret secret
	ring   atomic.Pointer[ring]
	mu     sync.Mutex            // of who changes the ring
	load   func() (*ring, error) // reads the keys of the file; nil when they do not change
}

// ring are the keys of a file that open with the secret of the vault.
type ring struct {
	newest uint16 // seals; 0: nothing is sealed
	closed bool   // the file has keys, and none of them opens
	keys   map[uint16]cipher.AEAD
	plain  map[uint16][]byte // the keys themselves
}

const (
	sealedFormat = 2 // first byte; sessions had 0 and 1
	sealedHead   = 3 // bytes before the nonce
)

// closedText stands for what is sealed and does not open.
const closedText = "(sealed)"

// seals tells whether values are sealed.
func (v *vault) seals() bool { return v.ring.Load().newest != 0 }

// closed tells whether nothing that is sealed opens.
func (v *vault) closed() bool { return v.ring.Load().closed }

// seal returns a text as it is stored at p.
func (v *vault) seal(p cell, text string) []byte {
	r := v.ring.Load()
	return r.seal(p, text)
}

func (r *ring) seal(p cell, text string) []byte {
	box := make([]byte, sealedHead+chacha20poly1305.NonceSizeX, sealedHead+chacha20poly1305.NonceSizeX+len(text)+chacha20poly1305.Overhead)
	box[0] = sealedFormat
	binary.BigEndian.PutUint16(box[1:], r.newest)
	nonce := box[sealedHead:]
	_, _ = rand.Read(nonce) // it never fails
	var room [128]byte
	return r.keys[r.newest].Seal(box, nonce, []byte(text), p.append(room[:0]))
}

// numberOf returns the key that a value was sealed with.
func numberOf(box []byte) uint16 {
	if len(box) < sealedHead || box[0] != sealedFormat {
		return 0
	}
	return binary.BigEndian.Uint16(box[1:])
}

// open returns the text of a value that was sealed at p; closedText when the vault has no keys of this file.
func (v *vault) open(p cell, box []byte) (string, error) {
	r := v.ring.Load()
	if r.closed {
		return p.closed(), nil
	}
	number := numberOf(box)
	if r.keys[number] == nil { //mutate:unknown-key
		var err error
		if r, err = v.reload(); err != nil {
			return "", err
		}
	}
	return r.open(p, box)
}

func (r *ring) open(p cell, box []byte) (string, error) {
	aead := r.keys[numberOf(box)]
	if aead == nil || len(box) < sealedHead+chacha20poly1305.NonceSizeX {
		return "", fmt.Errorf("open what is sealed: %w", errChanged)
	}
	var room [128]byte
	nonce := box[sealedHead : sealedHead+chacha20poly1305.NonceSizeX]
	text, err := aead.Open(nil, nonce, box[sealedHead+chacha20poly1305.NonceSizeX:], p.append(room[:0]))
	if err != nil {
		return "", fmt.Errorf("open what is sealed: %w", errChanged)
	}
	return string(text), nil
}

// reload reads the keys again: another process may have added one.
func (v *vault) reload() (*ring, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.load == nil {
		return v.ring.Load(), nil
	}
	fresh, err := v.load()
	if err != nil {
		return nil, fmt.Errorf("read the keys again: %w", err)
	}
	// What seals stays what it is until the writer changes it: see sealer.
	now := v.ring.Load()
	next := &ring{newest: now.newest, keys: maps.Clone(now.keys), plain: maps.Clone(now.plain)}
	maps.Copy(next.keys, fresh.keys) // the secret of this process may have left: it goes on with what it has
	maps.Copy(next.plain, fresh.plain)
	v.ring.Store(next)
	return next, nil
}

// use takes other keys into use. Somebody who reloads meanwhile must not bring back the key that sealed before: what it
// seals then would be lost with it.
func (v *vault) use(r *ring) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ring.Store(r)
}

// add puts a key onto the ring.
func (r *ring) add(number uint16, key []byte) error {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return fmt.Errorf("use a key: %w", err)
	}
	r.keys[number], r.plain[number] = aead, slices.Clone(key)
	r.newest = max(r.newest, number)
	return nil
}

func newRing() *ring { return &ring{keys: map[uint16]cipher.AEAD{}, plain: map[uint16][]byte{}} }

// sealed is a value as it is read: a text, or what seal made of one.
type sealed struct {
	text string
	box  []byte
}

// Scan takes a value from the database.
func (s *sealed) Scan(from any) error {
	switch v := from.(type) {
	case string:
		*s = sealed{text: v}
	case []byte:
		if len(v) == 0 || v[0] == clearValue { // PostgreSQL has bytes for both
			*s = sealed{text: string(v[min(len(v), 1):])}
			return nil
		}
		*s = sealed{box: slices.Clone(v)}
	default:
		return fmt.Errorf("a value of type %T is neither a text nor sealed", from)
	}
	return nil
}

// from returns the text of a value that stands at p.
func (s *sealed) from(v *vault, p cell) (string, error) {
	if s.box == nil {
		return s.text, nil
	}
	return v.open(p, s.box)
}
