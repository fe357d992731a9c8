package sqlite

import (
	"errors"
	"os"
	"sync"
)

// RequestProbe reports whether anybody asks for anything. That is looked up each second, nearly always in vain, so
// it has a connection of its own without a driver: a third of what it costs through the reader, and no garbage.
type RequestProbe struct {
	mu    sync.Mutex // guards the fields below
	conn  *Conn      // nil once it is closed
	probe *Statement
}

// NewRequestProbe opens the connection of a probe.
func NewRequestProbe(path string) (*RequestProbe, error) {
	c, err := Open(path, ReadingPragmas())
	if err != nil {
		return nil, err
	}
	b := &RequestProbe{conn: c}
	if b.probe, err = c.Prepare(`SELECT 1 FROM request LIMIT 1`); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// HasRequest reports whether there is a request.
func (b *RequestProbe) HasRequest() (asked bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == nil {
		return false, os.ErrClosed
	}
	_, err = b.probe.Each(func() { asked = true })
	return asked, err
}

// Close gives the connection back.
func (b *RequestProbe) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == nil {
		return nil
	}
	b.probe.Close()
	err := b.conn.Close()
	b.conn = nil
	return err
}
