package simulate_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// road is a worker's way to the platform, behind its guard: what is on it has left. Everything on it takes a time that is drawn from
// what it is.
type road struct{ hand *hand }

// ServeHTTP carries a request to the platform, and the answer back.
func (r *road) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h := r.hand
	if h.power.out.Load() {
		panic(http.ErrAbortHandler)
	}
	what, body, err := identify(req)
	if err != nil { // whoever sends it has gone in the middle
		panic(http.ErrAbortHandler)
	}
	_, port, _ := strings.Cut(req.Host, ":")
	n, _ := strconv.Atoi(port)
	account := h.booths[n-firstPort]
	h.leavesFor(h, account, what)
	what = fmt.Sprintf("%s %s", account.name, what)
	req.Body = io.NopCloser(strings.NewReader(body))
	_ = h.power.boundary("leaves: " + what)
	d := h.dice.draw("road: " + what)
	out, back := (&wire{rush: h.plan.rush}).times(&d, path.Base(req.URL.Path))
	if h.plan.burst > 0 { // see drawBacklog
		out, back = min(out, time.Second), min(back, time.Second)
	}
	if r.there(req, &d, out, what) {
		h.platform.Disturb(path.Base(req.URL.Path), emulator.NoFault) // it has used up its time: the platform may not handle it yet later
	}
	handle(h.platform, w, req, func() { h.trace.add("%v %s: arrived", h, what) })
	if h.power.boundary("handled: "+what) != nil {
		panic(http.ErrAbortHandler)
	}
	if !r.open(req, back, what) {
		h.trace.add("%v %s: its answer gets lost", h, what)
		panic(http.ErrAbortHandler)
	}
	_ = h.power.boundary("answered: " + what)
}

// handle lets the platform handle a request, whoever waits for it.
func handle(p *emulator.Platform, w http.ResponseWriter, req *http.Request, then func()) {
	defer then()
	p.ServeHTTP(w, req.WithContext(context.WithoutCancel(req.Context())))
}

// there is the way to the platform. It does not return when the request gets lost, and reports whether nobody waits for it any more.
func (r *road) there(req *http.Request, d *draw, out time.Duration, what string) (late bool) {
	h, left := r.hand, time.Now()
	if r.open(req, out, what) {
		return false
	}
	h.trace.add("%v %s: given up before it arrived", h, what)
	after := time.Since(left)
	rest := out - after
	if h.power.out.Load() && d.n(4) == 0 {
		rest = d.between(0, latest-after)
	}
	if d.n(2) == 0 || rest < 0 || r.isCut() {
		panic(http.ErrAbortHandler)
	}
	time.Sleep(rest)
	return true
}

// isCut reports whether the way is cut at the moment.
func (r *road) isCut() bool {
	h := r.hand
	h.crew.mu.Lock()
	defer h.crew.mu.Unlock()
	return h.ways[h.slot].platform.After(time.Now())
}

// open waits until something has arrived; false when it has not, since nobody waits for it any more, or the way is cut.
func (r *road) open(req *http.Request, d time.Duration, what string) bool {
	h := r.hand
	if r.isCut() {
		select { // nothing comes back
		case <-req.Context().Done():
		case <-h.power.dark:
		case <-time.After(requestTimeout):
		}
		return false
	}
	return h.dice.wait(req.Context(), h.power.dark, d, fmt.Sprintf("%v %s", h, what)) == nil && !r.isCut()
}
