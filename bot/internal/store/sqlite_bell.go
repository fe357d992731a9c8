package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/nectar-bot/nectar/bot/event"
)

// bell tells whether anybody asks for anything. That is looked up each second, nearly always in vain, so
// it has a connection of its own without a driver: a third of what it costs through the reader, and no garbage.
type bell struct {
	mu   sync.Mutex
	conn *conn // nil once it is closed
	ring statement
}

func newBell(path string) (*bell, error) {
	c, err := openConn(path, reading())
	if err != nil {
		return nil, err
	}
	b := &bell{conn: c, ring: statement{text: `SELECT 1 FROM request LIMIT 1`}}
	if err := b.ring.prepare(c); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// rung tells whether there is a request.
func (b *bell) rung() (asked bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == nil {
		return false, os.ErrClosed
	}
	_, err = b.ring.each(func() { asked = true })
	return asked, err
}

func (b *bell) close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn == nil {
		return nil
	}
	b.ring.close()
	err := b.conn.close()
	b.conn = nil
	return err
}

// Requests is that of Reader.
func (s *Database) Requests(ctx context.Context, after event.Request, limit int) ([]event.Request, error) {
	if s.bell == nil {
		return s.Reader.Requests(ctx, after, limit)
	}
	asked, err := s.bell.rung()
	switch {
	case err != nil:
		return nil, fmt.Errorf("look whether people ask for something: %w", err)
	case !asked:
		return nil, context.Cause(ctx)
	}
	return s.Reader.Requests(ctx, after, limit)
}
