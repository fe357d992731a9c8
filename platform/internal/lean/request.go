package lean

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// headerNames are the headers of a request that are written as they are, sorted; User-Agent stands before them.
var headerNames = []string{"Accept", "Accept-Language", "Authorization", "Content-Type"}

// largestBody is the largest body of a request that is written at once, in bytes.
const largestBody = 64 << 10

// route is where a connection leads.
type route struct{ scheme, address string }

// routeOf returns where a request goes; false when net/http has to bring it there.
func routeOf(r *http.Request, base *http.Transport) (route, bool) {
	if !looks || !isPlain(r) || !isOrdinary(base, r.URL) {
		return route{}, false
	}
	if base.Proxy != nil {
		if proxy, err := base.Proxy(r); proxy != nil || err != nil {
			return route{}, false
		}
	}
	to := route{r.URL.Scheme, r.URL.Host}
	if r.URL.Port() == "" {
		port := "80"
		if to.scheme == "https" {
			port = "443"
		}
		to.address = net.JoinHostPort(r.URL.Hostname(), port)
	}
	return to, true
}

// isPlain reports whether a request is one of those that this package writes.
func isPlain(r *http.Request) bool {
	u := r.URL
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodPost, u == nil, u.Scheme != "http" && u.Scheme != "https", u.Opaque != "",
		r.Close, len(r.TransferEncoding) > 0, r.Trailer != nil,
		r.Cancel != nil, //nolint:staticcheck // who has set it wants it
		!isText(u.RawQuery), !isHost(u.Host), r.Host != "" && !isHost(r.Host):
		return false
	case hasBody(r) && (r.ContentLength <= 0 || r.ContentLength > largestBody), !hasBody(r) && r.ContentLength != 0:
		return false
	}
	for name, values := range r.Header {
		// Others may say how a connection is to be used.
		if name != "User-Agent" && !slices.Contains(headerNames, name) || len(values) != 1 || !isText(values[0]) {
			return false
		}
	}
	return true
}

// isOrdinary reports whether a transport asks for nothing that this package does not do.
func isOrdinary(t *http.Transport, u *url.URL) bool {
	http1 := u.Scheme == "http"
	if t.Protocols != nil {
		http1 = t.Protocols.HTTP1() && !t.Protocols.HTTP2() && !t.Protocols.UnencryptedHTTP2()
	}
	return http1 && t.DialTLSContext == nil && !t.DisableKeepAlives && t.MaxConnsPerHost == 0 && t.ResponseHeaderTimeout == 0 &&
		t.Dial == nil && t.DialTLS == nil //nolint:staticcheck // who has set them wants them
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }

// isHost reports whether a host, perhaps with a port, can be written as it is.
func isHost(host string) bool {
	return host != "" && strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == "" && !strings.HasSuffix(host, ":")
}

// isText reports whether a header can have this value as it is, and an address this query.
func isText(value string) bool {
	return textproto.TrimString(value) == value && !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// appendRequest appends a request as it is sent: its headers in the order of net/http, and its body, which it closes.
func appendRequest(b []byte, r *http.Request, zipped bool) ([]byte, error) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	b = append(append(append(append(b, r.Method...), ' '), r.URL.RequestURI()...), " HTTP/1.1\r\nHost: "...)
	b = append(b, host...)
	agent := "Go-http-client/1.1"
	if set, ok := r.Header["User-Agent"]; ok {
		agent = set[0]
	}
	if agent != "" {
		b = append(append(b, "\r\nUser-Agent: "...), agent...)
	}
	if r.Method == http.MethodPost || r.ContentLength > 0 {
		b = strconv.AppendInt(append(b, "\r\nContent-Length: "...), r.ContentLength, 10)
	}
	for _, name := range headerNames { // sorted, as net/http writes them
		if set, ok := r.Header[name]; ok {
			b = append(append(append(append(b, "\r\n"...), name...), ": "...), set[0]...)
		}
	}
	if zipped {
		b = append(b, "\r\nAccept-Encoding: gzip"...)
	}
	b = append(b, "\r\n\r\n"...)
	if !hasBody(r) {
		return b, nil
	}
	defer func() { _ = r.Body.Close() }()
	begin, n := len(b), int(r.ContentLength)
	b = slices.Grow(b, n)[:begin+n]
	if _, err := io.ReadFull(r.Body, b[begin:]); err != nil {
		return b, fmt.Errorf("read the body of the request: %w", err)
	}
	if extra, _ := r.Body.Read(make([]byte, 1)); extra > 0 {
		return b, fmt.Errorf("the body of the request is longer than the %d bytes announced", n)
	}
	return b, nil
}

// isIdempotent reports whether a request changes nothing, so that it can be sent twice.
func isIdempotent(r *http.Request) bool { return r.Method == http.MethodGet && !hasBody(r) }
