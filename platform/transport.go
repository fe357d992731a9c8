package platform

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform/internal/lean"
)

const (
	maxRedirects = 3         // that one call follows
	maxHeader    = 256 << 10 // bytes of an answer before its body
)

// Transport is a transport made for many small calls to one host. Its settings are those of an http.Transport, to be made before its first
// request. Small calls over HTTP/1.1 it makes itself, at about two thirds of the cost: its connections have no goroutines of their own, a request is one write, and a kept
// connection is looked at before it is used. It tells what has left of a request by the hook WroteHeaders of net/http/httptrace. All others are made by
// the http.Transport: by a proxy, uploads, HTTP/2, and all where the system cannot look at a connection (Windows).
type Transport struct {
	*http.Transport
	pool lean.Pool
}

// RoundTrip makes a request. Its errors are those of connections and contexts, as with net/http.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.pool.RoundTrip(r, t.Transport) //nolint:wrapcheck // as net/http says it
}

// CloseIdleConnections closes the connections that no request uses. Those in use close when their request is over.
func (t *Transport) CloseIdleConnections() {
	t.pool.CloseIdle()
	t.Transport.CloseIdleConnections()
}

// NewTransport returns a transport for HTTP/1.1 only, with up to
// 256 kept connections. An answer may have 256 KiB of headers. Close it with CloseIdleConnections.
func NewTransport() *Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &Transport{Transport: &http.Transport{
		Proxy:                 proxyOffLoopback,
		DialContext:           dial,
		Protocols:             protocols,
		MaxIdleConns:          1024,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       60 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,

		MaxResponseHeaderBytes: maxHeader,
	}}
}

// proxyOffLoopback uses the proxy of the environment for other machines: what stays on this one may
// be plain http.
func proxyOffLoopback(r *http.Request) (*url.URL, error) {
	if isLoopback(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// dial connects to a host. Names below localhost mean this machine, even if a resolver says otherwise.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	if host, port, err := net.SplitHostPort(address); err == nil && isLoopback(host) && net.ParseIP(host) == nil {
		address = net.JoinHostPort("localhost", port)
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	return dialer.DialContext(ctx, network, address)
}

// redirectTarget returns where an answer redirects to, if the call can go there and stay what it is: on the
// same host, not from https to http, and with its form. Otherwise the redirect itself is the answer.
func redirectTarget(resp *http.Response, from *url.URL, form form) *url.URL {
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if form.file != nil {
			return nil
		}
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if form.contentType != nil {
			return nil // it would go on as GET, without the form
		}
	default:
		return nil
	}
	to := location(resp, from)
	if to == nil || !strings.EqualFold(to.Host, from.Host) || to.Scheme != from.Scheme && to.Scheme != "https" {
		return nil
	}
	return to
}

// withRedirect adds to an error about a body where the answer redirects to.
func withRedirect(err error, resp *http.Response) error {
	if resp.StatusCode < 300 || resp.StatusCode > 399 || resp.Request == nil {
		return err
	}
	to := location(resp, resp.Request.URL)
	if to == nil {
		return err
	}
	to = &url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path} // what else it holds may be secret
	return fmt.Errorf("a redirect to %s was not followed: %w", to, err)
}

func location(resp *http.Response, from *url.URL) *url.URL {
	text := resp.Header.Get("Location")
	if text == "" {
		return nil
	}
	to, err := from.Parse(text)
	if err != nil {
		return nil
	}
	return to
}

// isLoopback reports whether a host name means this machine.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
