package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	deadline   = 10 * time.Second // of a call, with its answer
	mostAnswer = 64 << 10         // bytes of an answer that are read and thrown away
	userAgent  = "nectar"
)

// Config says what a Client may reach.
type Config struct {
	// Hosts are the hosts that may be reached: "ntfy.sh" at the port that its service has, "chat.example.org:8443" at
	// another.
	Hosts []string
	// Lookup returns variables, for what is secret of an address. Defaults to none.
	Lookup func(name string) (string, bool)
	// Server is the mail server; the zero value is none.
	Server Address
	// Transport carries calls over HTTP. Defaults to one of its own.
	Transport http.RoundTripper
	// TLS is for mail servers. Defaults to that of the machine.
	TLS *tls.Config
	// Dial connects to mail servers. Defaults to the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends notices. All methods may be called at the same time.
type Client struct {
	cfg  Config
	http *http.Client
}

// NewClient makes a client.
func NewClient(cfg Config) *Client {
	if cfg.Lookup == nil {
		cfg.Lookup = func(string) (string, bool) { return "", false }
	}
	if cfg.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own type
		t.Proxy = http.ProxyFromEnvironment
		t.MaxResponseHeaderBytes = mostAnswer
		t.DisableCompression = true
		cfg.Transport = t
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{}).DialContext
	}
	return &Client{cfg: cfg, http: &http.Client{
		Transport: cfg.Transport, Timeout: deadline,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			// It may lead anywhere.
			return http.ErrUseLastResponse //mutate:called-redirect
		},
	}}
}

// Close closes connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Check reports whether something can be sent to an address: its host is allowed, its variables are set. It calls nobody.
func (c *Client) Check(a *Address) error {
	if a.service == Mail {
		if c.cfg.Server.service == "" {
			return errors.New("mail needs a server: write mail_server: smtp://… in settings.yaml")
		}
		return c.Check(&c.cfg.Server)
	}
	if !c.allowed(a) { //mutate:called-allowed
		return fmt.Errorf("the host %s is not in NECTAR_WEBHOOK_HOSTS", shownHost(a.written.Host))
	}
	for _, name := range a.names {
		if value, ok := c.cfg.Lookup(name); !ok || strings.TrimSpace(value) == "" {
			return missingVariable(name)
		}
	}
	return nil
}

func (c *Client) allowed(a *Address) bool {
	at := a.hostPort()
	return slices.ContainsFunc(c.cfg.Hosts, func(h string) bool { return completeHost(h, a.portScheme()) == at })
}

// Send sends a digest to an address; to a webhook it sends each notice by itself. After an error nobody knows whether it
// arrived, unless the service has refused it. The error has nothing secret of the address.
func (c *Client) Send(ctx context.Context, a *Address, d *Digest) error {
	if err := c.Check(a); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return c.scrubbed(a, c.send(ctx, a, d))
}

func (c *Client) send(ctx context.Context, a *Address, d *Digest) error {
	switch a.service {
	case Mail:
		return c.sendMail(ctx, a, d)
	case Webhook:
		for i := range d.Notices {
			if err := c.postJSON(ctx, a, *a.requestURL(), newPosted(&d.Notices[i]), nil); err != nil {
				return err
			}
		}
		return nil
	case Ntfy:
		return c.sendNtfy(ctx, a, d)
	case Slack:
		return c.sendSlack(ctx, a, d)
	case Discord:
		return c.sendDiscord(ctx, a, d)
	case Telegram:
		return c.sendTelegram(ctx, a, d)
	default:
		return errors.New("there is no such address")
	}
}

// Get calls an address with https://, and wants a good answer.
func (c *Client) Get(ctx context.Context, a *Address) error {
	if err := c.Check(a); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	return c.scrubbed(a, c.call(ctx, http.MethodGet, a, *a.requestURL(), nil, nil))
}

// requestURL returns where an address leads, without its user.
func (a *Address) requestURL() *url.URL {
	u := a.written
	u.Scheme, u.User = a.scheme, nil
	return &u
}

// postJSON sends something in JSON.
func (c *Client) postJSON(ctx context.Context, a *Address, u url.URL, body any, header http.Header) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the notice: %w", err)
	}
	return c.call(ctx, http.MethodPost, a, u, encoded, header)
}

// call makes a call. u has no values of variables yet.
func (c *Client) call(ctx context.Context, method string, a *Address, u url.URL, body []byte, header http.Header) error {
	path, err := a.fillVariables(u.Path, c.cfg.Lookup)
	if err != nil {
		return err
	}
	query, err := a.fillVariables(u.RawQuery, func(name string) (string, bool) {
		value, ok := c.cfg.Lookup(name)
		return url.QueryEscape(strings.TrimSpace(value)), ok
	})
	if err != nil {
		return err
	}
	u.Path, u.RawPath, u.RawQuery = path, "", query
	if strings.Contains(path, "..") {
		return errors.New("the address has .. in its path")
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("this is no address")
	}
	maps.Copy(req.Header, header)
	req.Header.Set("User-Agent", userAgent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return fmt.Errorf("%s at %s: %w", a.what(), shownHost(req.URL.Host), err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	// A connection that was handed over ends with no deadline, and has no answer behind it.
	if resp.StatusCode != http.StatusSwitchingProtocols { //mutate:called-switched
		stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })  //mutate:called-deadline
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, mostAnswer)) //mutate:called-answer
		stop()
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("%s at %s answers %s", a.what(), shownHost(req.URL.Host), answerText(resp))
	}
	return nil
}

// what names the service in an error.
func (a *Address) what() string {
	if a.service == Webhook {
		return "the webhook"
	}
	return string(a.service)
}

// answerText says what a service answered, without its own words.
func answerText(resp *http.Response) string {
	text := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		text += ", and leads elsewhere, which is not followed: write the address that it leads to"
	}
	return strings.TrimSpace(text)
}

// scrubbed returns an error without what is secret of an address, and without characters that nobody sees.
func (c *Client) scrubbed(a *Address, err error) error {
	if err == nil {
		return nil
	}
	const most = 300
	text := oneLine(err.Error())
	for _, secret := range append(c.secrets(a), c.secrets(&c.cfg.Server)...) {
		text = strings.ReplaceAll(text, secret, "…") //mutate:called-scrub
	}
	return &sendError{cut(text, most), err}
}

// longestWord is how many letters a part of a path has at most that is a word, such as hook, and no secret.
const longestWord = 10

// secrets are the texts that stand in an address and may be secret.
func (c *Client) secrets(a *Address) []string {
	var secrets []string
	add := func(s string) {
		const least = 4 // shorter ones stand anywhere
		for _, s := range []string{s, url.PathEscape(s), url.QueryEscape(s)} {
			if len(s) >= least {
				secrets = append(secrets, s)
			}
		}
	}
	for _, name := range a.names {
		value, _ := c.cfg.Lookup(name)
		add(strings.TrimSpace(value))
	}
	if password, ok := a.written.User.Password(); ok {
		add(password)
	}
	if a.service != Mail && a.service != server {
		add(a.written.User.Username())
		if path := strings.Trim(a.written.Path, "/"); strings.Contains(path, "/") {
			add(path)
		}
		for part := range strings.SplitSeq(a.written.Path, "/") {
			if strings.Trim(part, "abcdefghijklmnopqrstuvwxyz") != "" || len(part) > longestWord { //mutate:called-words
				add(part)
			}
		}
		for _, values := range a.written.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	slices.SortFunc(secrets, func(x, y string) int { return len(y) - len(x) })
	return secrets
}

// sendError is an error without secrets. What it wraps is for errors.Is alone.
type sendError struct {
	text string
	err  error
}

func (e *sendError) Error() string { return e.text }

// Is reports whether it comes from a deadline or the end of the program.
func (e *sendError) Is(target error) bool {
	return (target == context.Canceled || target == context.DeadlineExceeded) && errors.Is(e.err, target)
}

// limited is a connection of which not much is read.
type limited struct {
	net.Conn
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errors.New("the answer is longer than 64 KB")
	}
	n, err := l.Conn.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
