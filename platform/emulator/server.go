package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Server is a handler behind a real port, or behind a pipe.
type Server struct {
	http      *http.Server
	base      string
	transport *platform.Transport
	done      chan error
}

// Serve listens on addr, such as "127.0.0.1:0", and serves h there until Close. The context is for
// the listening only.
func Serve(ctx context.Context, addr string, h http.Handler) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("emulator: listen on %q: %w", addr, err)
	}
	return serve(l, "http://"+l.Addr().String()+basePath, h, nil), nil
}

func serve(l net.Listener, base string, h http.Handler, dial func(ctx context.Context, network, addr string) (net.Conn, error)) *Server {
	s := &Server{
		http: &http.Server{Handler: h, ReadHeaderTimeout: time.Minute},
		base: base,
		transport: &platform.Transport{Transport: &http.Transport{
			DialContext:         dial,
			MaxIdleConnsPerHost: 256,
			DisableCompression:  true,
		}},
		done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(l) }()
	return s
}

// BaseURL returns the base address of the API.
func (s *Server) BaseURL() string { return s.base }

// Transport returns a transport that reaches the handler.
func (s *Server) Transport() *platform.Transport { return s.transport }

// Close cuts all connections and ends the server.
func (s *Server) Close() error {
	s.transport.CloseIdleConnections()
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	s.done <- http.ErrServerClosed // a second Close finds the same
	if err != nil {
		return fmt.Errorf("emulator: close: %w", err)
	}
	return nil
}
