package seal

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
	// ErrNoKey is the error of opening a database in which something is sealed, without a key; and of what an inspector
	// without one cannot store.
	ErrNoKey = errors.New("what people said in it is encrypted, and NECTAR_SECRET_KEY is not set: set it, " +
		"or let the bot go on without what is encrypted: nectar run --forget-sealed")
	// ErrChanged is the error of a value that does not open although its key is there.
	ErrChanged = errors.New("a value in the database was changed from outside, or moved to another row")
)

// Vault seals what people said, and what is known of them. Sealed, a value is stored as a BLOB, so that it is
// never taken for a text: the format, the number of the key, a nonce, and what XChaCha20-Poly1305 makes of it and of
// the cell where it stands. Nonces of 24 random bytes do not meet, however much is sealed.
type Vault struct {
	Secret Secret
	Ring   atomic.Pointer[Ring]
	mu     sync.Mutex            // guards no field: one changes the ring at a time
	load   func() (*Ring, error) // reads the keys of the file; nil when they do not change
}

// Ring are the keys of a file that open with the secret of the vault.
type Ring struct {
	Newest uint16 // seals; 0: nothing is sealed
	closed bool   // the file has keys, and none of them opens
	keys   map[uint16]cipher.AEAD
	Plain  map[uint16][]byte // the keys themselves
}

const (
	sealedFormat = 2   // first byte; sessions had 0 and 1
	ClearValue   = 'T' // the first byte in PostgreSQL of a value that could be sealed, and is a text
	sealedHead   = 3   // bytes before the nonce
)

// ClosedText stands for what is sealed and does not open.
const ClosedText = "(sealed)"

// IsSealing reports whether values are sealed.
func (v *Vault) IsSealing() bool { return v.Ring.Load().Newest != 0 }

// IsClosed reports whether nothing that is sealed opens.
func (v *Vault) IsClosed() bool { return v.Ring.Load().closed }

// Seal returns a text as it is stored at p.
func (v *Vault) Seal(p Cell, text string) []byte {
	r := v.Ring.Load()
	return r.Seal(p, text)
}

// Seal returns a text as it is stored at p.
func (r *Ring) Seal(p Cell, text string) []byte {
	sealed := make([]byte, sealedHead+chacha20poly1305.NonceSizeX, sealedHead+chacha20poly1305.NonceSizeX+len(text)+chacha20poly1305.Overhead)
	sealed[0] = sealedFormat
	binary.BigEndian.PutUint16(sealed[1:], r.Newest)
	nonce := sealed[sealedHead:]
	_, _ = rand.Read(nonce) // it never fails
	// Most cells fit in, and then nothing is allocated for them: each value that is read goes through here.
	var room [128]byte
	return r.keys[r.Newest].Seal(sealed, nonce, []byte(text), p.append(room[:0]))
}

// NumberOf returns the key that a value was sealed with.
func NumberOf(sealed []byte) uint16 {
	if len(sealed) < sealedHead || sealed[0] != sealedFormat {
		return 0
	}
	return binary.BigEndian.Uint16(sealed[1:])
}

// Open returns the text of a value that was sealed at p; ClosedText when the vault has no keys of this file.
func (v *Vault) Open(p Cell, sealed []byte) (string, error) {
	r := v.Ring.Load()
	if r.closed {
		return p.closedText(), nil
	}
	number := NumberOf(sealed)
	if r.keys[number] == nil { //mutate:unknown-key
		var err error
		if r, err = v.reload(); err != nil {
			return "", err
		}
	}
	return r.open(p, sealed)
}

func (r *Ring) open(p Cell, sealed []byte) (string, error) {
	aead := r.keys[NumberOf(sealed)]
	if aead == nil || len(sealed) < sealedHead+chacha20poly1305.NonceSizeX {
		return "", fmt.Errorf("open what is sealed: %w", ErrChanged)
	}
	var room [128]byte
	nonce := sealed[sealedHead : sealedHead+chacha20poly1305.NonceSizeX]
	text, err := aead.Open(nil, nonce, sealed[sealedHead+chacha20poly1305.NonceSizeX:], p.append(room[:0]))
	if err != nil {
		return "", fmt.Errorf("open what is sealed: %w", ErrChanged)
	}
	return string(text), nil
}

// reload reads the keys again: another process may have added one.
func (v *Vault) reload() (*Ring, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.load == nil {
		return v.Ring.Load(), nil
	}
	fresh, err := v.load()
	if err != nil {
		return nil, fmt.Errorf("read the keys again: %w", err)
	}
	// The key that seals stays the same until the writer changes it: see sealer.
	now := v.Ring.Load()
	next := &Ring{Newest: now.Newest, keys: maps.Clone(now.keys), Plain: maps.Clone(now.Plain)}
	maps.Copy(next.keys, fresh.keys) // the secret of this process may have left: it goes on with what it has
	maps.Copy(next.Plain, fresh.Plain)
	v.Ring.Store(next)
	return next, nil
}

// UseRing takes other keys into use. A reader that reloads meanwhile must not bring back the key that sealed before: values
// sealed with it would be lost when it is deleted.
func (v *Vault) UseRing(r *Ring) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Ring.Store(r)
}

// add puts a key onto the ring.
func (r *Ring) add(number uint16, key []byte) error {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return fmt.Errorf("use a key: %w", err)
	}
	r.keys[number], r.Plain[number] = aead, slices.Clone(key)
	r.Newest = max(r.Newest, number)
	return nil
}

// NewRing returns a ring without keys: nothing is sealed.
func NewRing() *Ring { return &Ring{keys: map[uint16]cipher.AEAD{}, Plain: map[uint16][]byte{}} }

// Value is a value as it is read: a text, or what seal made of one.
type Value struct {
	Text   string
	Sealed []byte
}

// Scan takes a value from the database.
func (v *Value) Scan(from any) error {
	switch text := from.(type) {
	case string:
		*v = Value{Text: text}
	case []byte:
		if len(text) == 0 || text[0] == ClearValue { // PostgreSQL has bytes for both
			*v = Value{Text: string(text[min(len(text), 1):])}
			return nil
		}
		*v = Value{Sealed: slices.Clone(text)}
	default:
		return fmt.Errorf("a value of type %T is neither a text nor sealed", from)
	}
	return nil
}

// TextFrom returns the text of a value that stands at p.
func (v *Value) TextFrom(vault *Vault, p Cell) (string, error) {
	if v.Sealed == nil {
		return v.Text, nil
	}
	return vault.Open(p, v.Sealed)
}
