package platform

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Limits and defaults of a Client.
const (
	defaultTimeout   = 15 * time.Second
	defaultMaxBody   = 8 << 20
	defaultMaxList   = 256 << 20
	defaultUserAgent = "nectar"
)

// Config says where the platform is and how to talk to it.
type Config struct {
	// BaseURL is the address of the mobile API, with its last path segment, as in
	// "https://social.example/mobile_api". Doubled and trailing slashes do not matter. Required.
	BaseURL string

	// Transport carries the requests. Defaults to NewTransport(). A transport of your own must not
	// print request addresses: those of reading calls hold the session id.
	Transport http.RoundTripper

	// Timeout bounds one call from its start to the last byte of its answer, the wait for a session
	// and the one repetition after a renewed session included: nothing of a call is under way
	// later than that. It begins anew when a request has waited for the Limiter. Defaults to 15 seconds.
	Timeout time.Duration

	// MaxBody bounds an answer, in bytes after decompression; a longer one is Unreadable. Defaults to
	// 8 MiB.
	MaxBody int64

	// MaxList bounds the chat list, which has no pages, in bytes after decompression. It is read row by row, so
	// that it takes no memory; of a longer one the beginning counts, see Cut. MaxBody bounds each of its rows.
	// Defaults to 256 MiB.
	MaxList int64

	// AllowPlainHTTP permits http:// to hosts other than loopback, where everybody on the way can
	// read the session. Defaults to false.
	AllowPlainHTTP bool

	// Limiter says when each request may leave. Defaults to none: all may at once.
	Limiter Limiter

	// UserAgent is sent with every request. Defaults to "nectar".
	UserAgent string

	// Clock is told by how much the clock of this machine is ahead of the platform's, at most every ten seconds, to a second; below 0 it is
	// behind. It has to return at once. The platform's time is that in the header Date of an answer; a machine that was asleep while an
	// answer came finds its clock ahead, once. Defaults to nothing.
	Clock func(ahead time.Duration)
}

// configError names the field of a Config that cannot be used, and why.
type configError struct {
	Field   string
	Problem string
}

// Error implements error in one line.
func (e *configError) Error() string { return "platform config: " + e.Field + ": " + e.Problem }

// Authorizer supplies the session of the calls that need one. One that has a method Accepted(id Secret) is told of each good answer to
// a call that needs a session, with the id that it was sent with; feeds, posts and people may be shown to strangers, and do not count.
type Authorizer interface {
	// SessionID returns the session to send, waiting for a sign-in or a renewal under way.
	SessionID(ctx context.Context) (Secret, error)

	// Rejected is told that the platform refused a call that was sent with id: with code 401, or
	// with 400, which may mean the same. It finds out whether the session was at fault, and reports
	// whether the call may be sent once more, because another session is there.
	Rejected(ctx context.Context, id Secret, refusal *Refused) (again bool, err error)
}

// Client makes the calls of the mobile API. It is safe for concurrent use, and keeps no state
// between calls but its connections.
//
// The errors of all calls are of four kinds: *Unreachable, *Unreadable, *Refused, and
// *SessionError for a call that found no session to be sent with. The chat list knows a fifth, *Cut.
type Client struct {
	core     *core
	auth     Authorizer
	accepted func(id Secret) // nil: nobody wants to know
	answered func()          // the same
	failed   func(error)     // the same
}

// core is what the clients of all accounts of one platform share.
type core struct {
	base      url.URL
	transport http.RoundTripper
	timeout   time.Duration
	maxBody   int64
	maxList   int64
	limiter   Limiter // nil for none
	userAgent []string
	clock     clock
	buffers   sync.Pool // of *buffer
	deadlines sync.Pool // of *bodyDeadline
	known     knownSecrets
}

// New checks cfg and returns a Client without a session: it can sign in and read what is public.
// The error names the field of cfg that cannot be used, and why.
func New(cfg Config) (*Client, error) {
	base, err := parseBase(cfg.BaseURL, cfg.AllowPlainHTTP)
	if err != nil {
		return nil, err
	}
	switch {
	case cfg.Timeout < 0:
		return nil, &configError{"Timeout", fmt.Sprintf("%v is negative", cfg.Timeout)}
	case cfg.MaxBody < 0:
		return nil, &configError{"MaxBody", fmt.Sprintf("%d is negative", cfg.MaxBody)}
	case cfg.MaxList < 0:
		return nil, &configError{"MaxList", fmt.Sprintf("%d is negative", cfg.MaxList)}
	// What stands behind a line break would be headers of its own.
	case strings.ContainsAny(cfg.UserAgent, "\r\n"):
		return nil, &configError{"UserAgent", "it holds a line break"}
	}
	if cfg.Transport == nil {
		cfg.Transport = NewTransport()
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = defaultMaxBody
	}
	if cfg.MaxList == 0 {
		cfg.MaxList = defaultMaxList
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = defaultUserAgent
	}
	return &Client{core: &core{
		base:      *base,
		transport: cfg.Transport,
		timeout:   cfg.Timeout,
		maxBody:   cfg.MaxBody,
		maxList:   cfg.MaxList,
		limiter:   cfg.Limiter,
		userAgent: []string{cfg.UserAgent},
		clock:     clock{tell: cfg.Clock, begun: time.Now()},
		buffers:   sync.Pool{New: func() any { return new(buffer) }},
		deadlines: sync.Pool{New: func() any { return new(bodyDeadline) }},
	}}, nil
}

// WithSession returns a client that makes its calls with the sessions of a. It shares everything
// else with c and costs a few words of memory.
func (c *Client) WithSession(a Authorizer) *Client {
	with := &Client{core: c.core, auth: a}
	if wants, ok := a.(interface{ Accepted(id Secret) }); ok {
		with.accepted = wants.Accepted
	}
	return with
}

// Observed returns a client that calls answered after each good answer of the platform, and failed with the error of each
// call that failed, before the call returns. Either may be nil. It shares everything else with c.
func (c *Client) Observed(answered func(), failed func(err error)) *Client {
	return &Client{core: c.core, auth: c.auth, accepted: c.accepted, answered: answered, failed: failed}
}

// Timeout returns the longest time that one call takes. The wait of its request for the Limiter does not count: the time begins
// anew after it.
func (c *Client) Timeout() time.Duration { return c.core.timeout }

// parseBase reads a base address. Its errors never quote user information.
func parseBase(raw string, allowPlain bool) (*url.URL, error) {
	fail := func(problem string) (*url.URL, error) { return nil, &configError{"BaseURL", problem} }
	if raw == "" {
		return fail("it is empty; want an address like https://social.example/mobile_api")
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil:
		return fail("it is not an address; want one like https://social.example/mobile_api")
	case u.Scheme != "https" && u.Scheme != "http":
		return fail("it does not begin with https://")
	case u.Hostname() == "":
		return fail("it names no host")
	case u.User != nil:
		return fail("it holds a user name; the platform takes none there")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fail("it must end with the path, without ? or #")
	case u.Scheme == "http" && !allowPlain && !isLoopback(u.Hostname()):
		return fail("http:// to " + u.Hostname() + " would send the session in plain text; use https://, or set AllowPlainHTTP")
	}
	u = u.JoinPath()
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}
