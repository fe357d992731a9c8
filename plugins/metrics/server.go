package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Config says where the metrics are served.
type Config struct {
	// Addr is a host and a port, such as "127.0.0.1:9464". Without a host, as in ":9464", it is this
	// machine alone: "0.0.0.0:9464" serves others, too. Port 0 takes any free one. Empty is off.
	Addr string

	// Hosts are names under which it may be asked for beside that host and those of this machine: a web page that lets
	// its own name point here is not answered. Ports in them do not matter. Addresses in digits need not be named
	// where Addr takes them all, as "0.0.0.0:9464" does.
	Hosts []string

	// Ready tells what /readyz answers when the bot runs: nil when all is well, otherwise why not, in words that hold no secret. nil
	// for all is well.
	Ready func() error
}

// Server serves the metrics of one bot. It implements the hooks of an application: Start, then Stop.
type Server struct {
	cfg Config
	bot *bot.Bot
	log *slog.Logger

	http *http.Server
	addr net.Addr
	done chan struct{} // closed when it serves no more
}

// New makes a server. Log may be nil.
func New(cfg Config, b *bot.Bot, log *slog.Logger) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg, bot: b, log: log}
}

// Start takes the address and begins to serve. The error says that the address cannot be had.
func (s *Server) Start(ctx context.Context) error {
	addr, err := address(s.cfg.Addr)
	if err != nil {
		return err
	}
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("serve metrics: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{s.bot, s.log.Handler()}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /healthz", serveHealthz)
	mux.HandleFunc("GET /readyz", s.serveReadyz)
	mux.HandleFunc("GET /status", s.serveStatus)
	s.addr, s.done = l.Addr(), make(chan struct{})
	s.http = &http.Server{
		Handler: allowKnownHosts(mux, s.cfg), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.log.InfoContext(ctx, "metrics are served", "address", "http://"+s.addr.String()+"/metrics")
	go func() {
		defer close(s.done)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.ErrorContext(ctx, "metrics are served no more", "err", err)
		}
	}()
	return nil
}

// Addr returns where it serves, nil before Start.
func (s *Server) Addr() net.Addr { return s.addr }

// Stop ends what is being answered, and returns when nothing runs any more or ctx is done. Before Start it
// does nothing.
func (s *Server) Stop(ctx context.Context) error {
	if s.http == nil {
		return nil // it never served
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop serving metrics: %w", err), s.http.Close())
	}
	<-s.done
	return err
}

// address completes an address with this machine as its host. The error does not repeat it: there may be a password in
// what somebody took for one.
func address(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if wrong, ok := errors.AsType[*net.AddrError](err); ok {
		return "", fmt.Errorf("metrics.Config.Addr: it is not a host and a port: %s", wrong.Err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil || strings.ContainsAny(host, "@/ ") {
		return "", errors.New("metrics.Config.Addr: it is not a host and a port")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}
