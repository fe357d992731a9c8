package move

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
)

// copying is a COPY into a table, in the binary format. Rows are encoded while the server is at work on those before.
type copying struct {
	types []uint32 // of the columns
	room  []byte   // what is sent next
	ready chan []byte
	empty chan []byte // rooms that come back
	done  chan struct{}
	err   error // of the server; good when done is closed
	rows  int64
	got   int64
}

const (
	copyRoom  = 60 << 10 // bytes that are sent together
	copyAhead = 8
)

// errAborted is the error of rows that are not to be stored.
var errAborted = errors.New("it was given up")

// startCopying starts a COPY. Nothing else may be asked over the connection until it has ended.
func startCopying(ctx context.Context, conn *pgconn.PgConn, text string, types []uint32) *copying {
	c := &copying{types: types, ready: make(chan []byte, copyAhead), empty: make(chan []byte, copyAhead+2), done: make(chan struct{})}
	c.room = append(c.freshBuffer(), "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	go func() {
		defer close(c.done)
		tag, err := conn.CopyFrom(ctx, &copySource{of: c}, text)
		c.got, c.err = tag.RowsAffected(), err
	}()
	return c
}

// copySource is the reader from which the driver takes the rows of a COPY.
type copySource struct {
	of   *copying
	room []byte
	left []byte
}

// Read returns what comes next.
func (s *copySource) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		if s.room != nil {
			s.of.empty <- s.room[:0]
		}
		room, more := <-s.of.ready
		switch {
		case !more:
			s.room = nil
			return 0, io.EOF
		case room == nil:
			return 0, errAborted
		}
		s.room, s.left = room, room
	}
	n := copy(p, s.left)
	s.left = s.left[n:]
	return n, nil
}

func (c *copying) freshBuffer() []byte {
	select {
	case room := <-c.empty:
		return room
	default:
		return make([]byte, 0, copyRoom+4<<10)
	}
}

// put sends a row.
func (c *copying) put(row *movedRow) error {
	b := binary.BigEndian.AppendUint16(c.room, uint16(len(c.types)))
	for i, oid := range c.types {
		at := len(b)
		b = append(b, 0, 0, 0, 0)
		switch v := &row.values[i]; {
		case v.sealed:
			b = append(b, v.text...)
		case v.isText && oid != postgres.TypeInt4 && oid != postgres.TypeInt8:
			b = postgres.AppendText(b, oid, string(v.text))
		case !v.isText && postgres.FitsType(oid, v.number) && oid != postgres.TypeText && oid != postgres.TypeBytes:
			b = postgres.AppendInt(b, oid, v.number)
		default:
			return fmt.Errorf("the value of column %d: %w", i+1, errUnlike)
		}
		binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	}
	c.room = b
	c.rows++
	if len(b) < copyRoom {
		return nil
	}
	return c.send()
}

// errUnlike is the error of a value that the other database has no room for.
var errUnlike = errors.New("it is of another kind, or too large, for where it stands")

// send hands over what is encoded.
func (c *copying) send() error {
	select {
	case c.ready <- c.room:
		c.room = c.freshBuffer()
		return nil
	case <-c.done:
		return c.failure()
	}
}

func (c *copying) failure() error {
	if c.err != nil {
		return c.err
	}
	return errors.New("the server has ended the COPY too soon")
}

// end returns when all rows are there.
func (c *copying) end() error {
	c.room = append(c.room, 0xff, 0xff) // no more rows
	if err := c.send(); err != nil {
		return err
	}
	close(c.ready)
	<-c.done
	if c.err == nil && c.got != c.rows {
		return fmt.Errorf("the server has taken %d of %d rows", c.got, c.rows)
	}
	return c.err
}

// abortCopy lets none of the rows be stored.
func (c *copying) abortCopy() {
	select {
	case c.ready <- nil:
	case <-c.done:
	}
	<-c.done
}
