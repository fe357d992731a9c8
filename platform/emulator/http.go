package emulator

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// basePath is the segment that carries the API.
const basePath = "/mobile_api"

// The answers that are no JSON.
const (
	pageNotFound = "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head>" +
		"<body><h1>Not Found</h1><p>The requested URL was not found on this server.</p></body></html>\n"
	pageBadGateway = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n" +
		"<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
	notice = "<br />\n<b>Deprecated</b>:  trim(): Passing null to parameter #1 ($string) is deprecated " +
		"in <b>/var/www/core/functions.php</b> on line <b>412</b><br />\n"
)

// ServeHTTP answers one call of the API.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := p.endpoints[endpointName(r.URL.Path)]
	if e == nil {
		writePage(w, http.StatusNotFound, pageNotFound)
		return
	}
	e.count.Add(1)
	p.setDate(w)
	c, _ := p.calls.Get().(*call)
	late := false
	defer func() {
		if !late {
			p.calls.Put(c)
		}
	}()
	c.reset()
	c.endpoint = e
	c.now = time.Now()
	if !c.read(w, r) {
		p.refuseUnread(w, c)
		return
	}
	s := p.drawFault(c)
	if late = s.fault == Late; late {
		time.AfterFunc(s.delay, func() { p.handleLate(c) })
	}
	if !s.actBefore(w, r) {
		return
	}
	p.handle(c)
	s.sendAfter(p.troubledWriter(w, r, c), r, c)
}

// endpointName returns the last segment of a path of the API, "" for other paths. Deployments
// serve doubled slashes, so the emulator does.
func endpointName(path string) string {
	if path, ok := strings.CutPrefix(path, basePath+"/"); ok && strings.IndexByte(path, '/') < 0 {
		return path
	}
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(segments) == 2 && segments[0] == basePath[1:] {
		return segments[1]
	}
	return ""
}

// read takes in the request, and reports whether it keeps the rules of the contract.
func (c *call) read(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.Method != http.MethodPost && (r.Method != http.MethodGet || c.endpoint.verbs == write):
		c.answer = *refuseMethod
		return false
	case c.params.read(w, r) != nil:
		c.answer = *refuseEncoding
		return false
	}
	return true
}

func (p *Platform) refuseUnread(w http.ResponseWriter, c *call) {
	p.mu.Lock()
	r := c.answer
	c.refuseCall(&r)
	c.seal()
	p.mu.Unlock()
	c.write(w)
}

// handle is the whole effect of a call and its answer, in one critical section.
func (p *Platform) handle(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.admitsCall(c) {
		c.endpoint.serve(p, c)
	} else {
		c.refuseCall(p.unauthorizedRefusal())
	}
	c.seal()
}

// handleLate handles a call after its caller has gone.
func (p *Platform) handleLate(c *call) {
	c.now = time.Now()
	p.handle(c)
	p.calls.Put(c)
}

// The header values of the answers; they are never changed.
var (
	typeJSON  = []string{"application/json; charset=utf-8"}
	typeWrong = []string{"application/json; charset=ISO-8859-1"}
	typeHTML  = []string{"text/html; charset=utf-8"}
)

// seal settles what HTTP says about an answer, unless the endpoint has settled it.
func (c *call) seal() {
	if c.status != 0 {
		return
	}
	c.status, c.kind = http.StatusOK, typeJSON
	if c.dialect.StatusFollowsCode {
		c.status = c.answer.code
	}
	if c.dialect.WrongCharset {
		c.kind = typeWrong
	}
}

// answerMissing answers as a server that knows no such endpoint.
func (c *call) answerMissing() {
	c.buf = append(c.buf[:0], pageNotFound...)
	c.status, c.kind = http.StatusNotFound, typeHTML
}

// write sends the answer. HTTP allows no body beside status 204.
func (c *call) write(w http.ResponseWriter) {
	h := w.Header()
	h["Content-Type"] = c.kind
	if c.status == http.StatusNoContent {
		w.WriteHeader(c.status)
		return
	}
	h["Content-Length"] = []string{strconv.Itoa(len(c.buf))}
	w.WriteHeader(c.status)
	_, _ = w.Write(c.buf) // a client that went away is no failure of the platform
}

func writePage(w http.ResponseWriter, status int, page string) {
	w.Header()["Content-Type"] = typeHTML
	w.WriteHeader(status)
	_, _ = io.WriteString(w, page)
}
