package platform

import (
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// progress follows how far a request came.
type progress struct {
	trace   httptrace.ClientTrace
	watched atomic.Bool // the transport tells how far it is
	written atomic.Bool
}

func newProgress() *progress {
	p := new(progress)
	p.trace.GetConn = func(string) { p.watched.Store(true) }
	p.trace.WroteHeaders = func() { p.written.Store(true) }
	return p
}

// mayHaveLeft reports whether the request that ended with err may have left. A transport that does not tell
// how far it came is taken to have sent everything, unless err says that no connection was made. Headers count as written before
// they are: a transport that looks at the socket knows better.
func (p *progress) mayHaveLeft(err error) bool {
	if errors.Is(err, ErrUnsent) {
		return false
	}
	if p.written.Load() {
		return true
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
		return false
	}
	return !p.watched.Load()
}
