package platform

import (
	"errors"
	"fmt"
	"io"
)

// Sizes of the buffers for answers, in bytes.
const (
	smallestBuffer = 4 << 10
	largestKept    = 1 << 20 // for the next answer
)

// buffer holds an answer while it is read.
type buffer struct{ data []byte }

// reset empties the buffer and reports whether it is worth keeping.
func (b *buffer) reset() bool {
	b.data = b.data[:0]
	return cap(b.data) <= largestKept
}

// readAll reads r to its end, so that the connection can be used again. expected is the length that
// the answer announced, or -1.
func (b *buffer) readAll(r io.Reader, expected, limit int64) error {
	if expected > limit {
		return ErrTooLarge
	}
	// One byte more than expected, to meet the end without growing.
	if need := max(expected+1, smallestBuffer); int64(cap(b.data)) < need {
		b.data = make([]byte, 0, need)
	}
	for {
		if len(b.data) == cap(b.data) {
			b.data = append(b.data, 0)[:len(b.data)]
		}
		n, err := r.Read(b.data[len(b.data):cap(b.data)])
		b.data = b.data[:len(b.data)+n]
		switch {
		case int64(len(b.data)) > limit:
			return ErrTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read the answer: %w", err)
		}
	}
}
