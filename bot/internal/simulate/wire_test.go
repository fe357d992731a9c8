package simulate_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// wire is the way between an incarnation of the bot and the platform. Everything on it takes a time that is
// drawn from what it is.
type wire struct {
	power *power
	dice  *dice
	trace *trace
	next  http.RoundTripper
	rush  float64
	left  *sync.WaitGroup // what goes on after an incarnation
	spare func(endpoint string, faults ...emulator.Fault)
	watch []watcher // nobody, mostly
}

// watcher looks at what the bot sends and gets.
type watcher interface {
	// calls is told of a request when the bot makes it.
	calls(r *http.Request, body string)
	// hears is told of the body of an answer when it is there.
	hears(r *http.Request, body []byte)
}

// heard lets the watcher see an answer. One that breaks off does so for the bot, too.
func (w *wire) heard(r *http.Request, resp *http.Response) {
	if len(w.watch) == 0 {
		return
	}
	content := overhear(resp)
	for _, watch := range w.watch {
		watch.hears(r, content)
	}
}

// overhear returns the body of an answer, which the bot gets all the same.
func overhear(resp *http.Response) []byte {
	if resp.StatusCode == http.StatusSwitchingProtocols { // behind it is a connection, which says nothing
		return nil
	}
	content, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	rest := io.Reader(http.NoBody)
	if err != nil {
		rest = iotest.ErrReader(err)
	}
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(content), rest))
	return content
}

// latest is how long after it left a request may arrive at most: a moment before the grace is over of one that is
// given up at its deadline.
const latest = requestTimeout + grace - time.Second

// actor is the key under which a context holds the name of whoever calls: several may make the same
// call at one instant.
type actor struct{}

// RoundTrip carries a request to the platform and the answer back.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	what, body, err := identify(r)
	if err != nil {
		return nil, err
	}
	if w.power.out.Load() {
		return nil, errDark
	}
	for _, watch := range w.watch {
		watch.calls(r, body)
	}
	who, _ := r.Context().Value(actor{}).(string)
	switch path.Base(r.URL.Path) {
	case "refresh_access_token", "login", "oauth", "feeds": // by one caller for all
		who = ""
	}
	d := w.dice.draw(fmt.Sprintf("wire of life %d: %s %s", w.power.incarnation, who, what))
	name := who + " " + what
	if err := w.travel(r.Context(), name, d.between(time.Microsecond, 50*time.Microsecond)); err != nil {
		return nil, err
	}
	if err := w.power.boundary("leaves: " + what); err != nil {
		return nil, err
	}
	out, back := w.times(&d, path.Base(r.URL.Path))
	left := time.Now()
	if err := w.travel(r.Context(), name, out); err != nil {
		w.trace.add("life %d %s: given up before it arrived", w.power.incarnation, what)
		w.stray(&d, r, body, what, w.lag(&d, out-time.Since(left), time.Since(left)))
		return nil, err
	}
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		w.trace.add("life %d %s: cut", w.power.incarnation, what)
		return nil, w.cut(r.Context(), name, back, err)
	}
	w.trace.add("life %d %s: %d", w.power.incarnation, what, resp.StatusCode)
	err = w.power.boundary("handled: " + what)
	if err == nil {
		if err = w.travel(r.Context(), name, back); err != nil {
			w.trace.add("life %d %s: given up before its answer arrived", w.power.incarnation, what)
		}
	}
	if err == nil {
		err = w.power.boundary("answered: " + what)
	}
	if err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	w.heard(r, resp)
	return resp, nil
}

// cut lets the news of a cut connection travel, too.
func (w *wire) cut(ctx context.Context, name string, back time.Duration, err error) error {
	if dark := w.travel(ctx, name, back); dark != nil {
		return dark
	}
	return err
}

// lag returns how much later a request arrives that was given up after so long. Of an incarnation that is over, some take
// as long as a request may at most: nobody knows when that one left.
func (w *wire) lag(d *draw, rest, after time.Duration) time.Duration {
	if most := latest - after; w.power.out.Load() && most > 0 && d.n(4) == 0 {
		return d.between(0, most)
	}
	return min(rest, grace-time.Second) // a stop gives it up early, and has stored when
}

// times returns how long a request and its answer take. Few take long, and some so long that nobody
// waits for them any more: up to a moment before the bot may believe that they cannot arrive. Of toggles, which
// are rare, more do.
func (w *wire) times(d *draw, endpoint string) (out, back time.Duration) {
	least, most := time.Millisecond, 40*time.Millisecond
	endless := int64(1)
	switch endpoint {
	case "like_post", "publication_repost", "follow":
		endless = 8
	}
	switch n := d.n(200); {
	case n < endless:
		least, most = requestTimeout/2, latest
	case n < endless+5:
		least, most = 200*time.Millisecond, 3*time.Second
	}
	out, back = d.between(least, most), d.between(least, most)
	if w.rush > 1 && most < time.Second {
		out, back = time.Duration(float64(out)*w.rush), time.Duration(float64(back)*w.rush)
	}
	return out, back
}

// travel waits until something has arrived.
func (w *wire) travel(ctx context.Context, name string, d time.Duration) error {
	return w.dice.wait(ctx, w.power.dark, d, name)
}

// stray lets a request arrive whose sender is gone; or not.
func (w *wire) stray(d *draw, r *http.Request, body string, what string, left time.Duration) {
	if d.n(2) == 0 {
		return
	}
	clone := r.Clone(context.WithoutCancel(r.Context()))
	clone.Body = io.NopCloser(strings.NewReader(body))
	w.left.Go(func() {
		time.Sleep(left)
		// It has used up its time: the platform may not cut it off and handle it yet later.
		w.spare(path.Base(r.URL.Path), emulator.NoFault)
		resp, err := w.next.RoundTrip(clone)
		w.trace.add("life %d %s: arrives although nobody waits for it", w.power.incarnation, what)
		if err == nil {
			_ = resp.Body.Close()
		}
	})
}

// identify names a call by what it asks, without tokens, and returns its body.
func identify(r *http.Request) (what, body string, err error) {
	if r.Body != nil {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return "", "", fmt.Errorf("read a request: %w", err)
		}
		_ = r.Body.Close()
		body = string(content)
		r.Body = io.NopCloser(strings.NewReader(body))
	}
	values := r.URL.Query()
	form, err := url.ParseQuery(body)
	if err != nil {
		return "", "", fmt.Errorf("read a request: %w", err)
	}
	for key, value := range form {
		values[key] = append(values[key], value...)
	}
	var parts []string
	for key := range values {
		switch key {
		case "session_id", "refresh_token", "access_token", "password", "email", "device_type", "page_size":
		default:
			parts = append(parts, key+"="+strings.Join(values[key], ","))
		}
	}
	slices.Sort(parts)
	return strings.Join(append([]string{path.Base(r.URL.Path)}, parts...), " "), body, nil
}
