package lean

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

// conn is a connection to a host. One exchange at a time has it.
type conn struct {
	net.Conn
	plain net.Conn // the same without TLS
	route route
	base  *http.Transport // whose settings it follows
	round int             // of the pool, when it was made
	raw   syscall.RawConn
	look  func(fd uintptr)
	quiet bool      // as look found it
	since time.Time // it is idle
	in    *bufio.Reader
	room  int64 // bytes that may still be read
	broke error // why nothing more can be
}

// dial connects to a host.
func dial(ctx context.Context, to route, base *http.Transport) (*conn, error) {
	connect := base.DialContext
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	plain, err := connect(ctx, "tcp", to.address)
	if err != nil {
		return nil, err //nolint:wrapcheck // as net/http does: callers look for the error of the dialer
	}
	c := &conn{Conn: plain, plain: plain, route: to, base: base}
	if s, ok := plain.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn()
	}
	c.look = func(fd uintptr) { c.quiet = isQuiet(fd) }
	if to.scheme == "https" {
		if c.Conn, err = secure(ctx, plain, to, base); err != nil {
			_ = plain.Close()
			return nil, err
		}
	}
	c.in = bufio.NewReader(c)
	return c, nil
}

// secure makes a connection one by TLS.
func secure(ctx context.Context, plain net.Conn, to route, base *http.Transport) (net.Conn, error) {
	cfg := base.TLSClientConfig.Clone()
	if cfg == nil {
		cfg = new(tls.Config)
	}
	if cfg.ServerName == "" {
		host, _, err := net.SplitHostPort(to.address)
		if err != nil {
			return nil, fmt.Errorf("the address of the host: %w", err)
		}
		cfg.ServerName = host
	}
	if base.TLSHandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, base.TLSHandshakeTimeout)
		defer cancel()
	}
	c := tls.Client(plain, cfg)
	if err := c.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return c, nil
}

// canLook reports whether it can be known of the connection that nothing has arrived. One in memory need not be looked at: what is written to it when it is closed fails
// as a whole.
func (c *conn) canLook() bool { return c.raw != nil || c.plain.RemoteAddr().Network() == "pipe" }

// isOpen reports whether a kept connection can be used: the server has said nothing meanwhile, and has not closed it.
func (c *conn) isOpen() bool {
	if c.raw != nil {
		if c.quiet = false; c.raw.Control(c.look) != nil || !c.quiet { //mutate:lean-look
			return false
		}
	}
	secured, ok := c.Conn.(*tls.Conn)
	if !ok {
		return true
	}
	// TLS reads ahead: what has been taken from the socket is seen by reading on, without touching that.
	if secured.SetReadDeadline(time.Unix(1, 0)) != nil {
		return false
	}
	n, err := secured.Read(make([]byte, 1))
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) //mutate:lean-ahead
}

// Close closes the connection without a farewell: that of TLS may wait for the other side.
func (c *conn) Close() error {
	return c.plain.Close() //nolint:wrapcheck // nobody asks why
}

// Read reads what arrives. Before an answer has begun its body there is a limit to that.
func (c *conn) Read(p []byte) (int, error) {
	if c.room <= 0 {
		return 0, errHeader
	}
	if int64(len(p)) > c.room {
		p = p[:c.room]
	}
	n, err := c.Conn.Read(p)
	c.room -= int64(n)
	c.broke = err
	return n, err //nolint:wrapcheck // readers look for io.EOF
}

const defaultHeader = 10 << 20 // bytes of an answer before its body, as net/http has it

// limitHead lets so many bytes of an answer arrive as it may have before its body.
func (c *conn) limitHead() {
	if c.room = c.base.MaxResponseHeaderBytes; c.room <= 0 {
		c.room = defaultHeader
	}
}

// readHead reads the head of an answer. Those that only say that another one follows are passed over; all of them have to be within the limit.
func (c *conn) readHead(r *http.Request) (*http.Response, error) {
	for {
		resp, err := http.ReadResponse(c.in, r)
		switch {
		case err != nil:
			return nil, err //nolint:wrapcheck // as net/http says it
		case resp.StatusCode < 100 || resp.StatusCode > 199 || resp.StatusCode == http.StatusSwitchingProtocols:
			c.room = math.MaxInt64
			return resp, nil
		}
	}
}

var errHeader = errors.New("the headers of the answer are too long")
