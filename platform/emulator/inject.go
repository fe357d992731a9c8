package emulator

import (
	"io"
	"net/http"
	"time"
)

// The answers of a server in distress.
const (
	answer500 = `{"code":500,"data":[],"message":"An error occurred while processing your request. Please try again later"}`
	answer429 = `{"code":429,"data":[],"message":"Too many requests"}`
	page429   = "Too Many Requests\n"
)

// before lets the fault act before the call is handled, and reports whether to handle it.
func (s injected) before(w http.ResponseWriter, r *http.Request) bool {
	switch s.fault {
	case CutBefore, Late:
		panic(http.ErrAbortHandler) // cuts the connection, and net/http keeps quiet about it
	case Err500Before:
		s.fail(w)
		return false
	case Bad502:
		writePage(w, http.StatusBadGateway, pageBadGateway)
		return false
	case TooMany:
		s.tooMany(w)
		return false
	case Slow:
		if !wait(r, s.delay) {
			panic(http.ErrAbortHandler)
		}
		return true
	default:
		return true
	}
}

// fail answers code 500; whether the HTTP status says so too is open.
func (s injected) fail(w http.ResponseWriter) {
	status := http.StatusOK
	if s.draw&1 == 0 {
		status = http.StatusInternalServerError
	}
	writeJSON(w, status, answer500)
}

func (s injected) tooMany(w http.ResponseWriter) {
	if s.draw&1 == 0 {
		w.Header()["Retry-After"] = []string{later(w.Header())}
	}
	switch s.draw >> 1 & 3 {
	case 0:
		writeJSON(w, http.StatusTooManyRequests, answer429)
	case 2:
		writeJSON(w, http.StatusOK, answer429)
	default:
		writePage(w, http.StatusTooManyRequests, page429)
	}
}

// after sends the answer of a call that was handled, or what the fault leaves of it.
func (s injected) after(w http.ResponseWriter, r *http.Request, c *call) {
	switch s.fault {
	case CutAfter:
		panic(http.ErrAbortHandler)
	case Switched:
		h := w.Header()
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
		w.WriteHeader(http.StatusSwitchingProtocols)
		hang(w, r)
		return
	case Endless:
		w.Header()["Content-Type"] = typeJSON
		_, _ = w.Write(c.buf[:len(c.buf)/2])
		hang(w, r)
		return
	case Err500After:
		s.fail(w)
		return
	case Truncated:
		c.buf = c.buf[:len(c.buf)/2]
	case Notice:
		c.buf = append([]byte(notice), c.buf...)
	default:
	}
	c.write(w)
}

// hang sends what was written, and then nothing until the caller has gone.
func hang(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).Flush() // as far as it can
	<-r.Context().Done()
}

// wait waits, and reports whether the caller is still there.
func wait(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func writeJSON(w http.ResponseWriter, status int, body string) {
	w.Header()["Content-Type"] = typeJSON
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}
