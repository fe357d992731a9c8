package emulator

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// What a server in distress says.
const (
	text500 = "An error occurred while processing your request. Please try again later"
	text429 = "Too many requests"
	page429 = "Too Many Requests\n"
)

// distress returns the answer of a server in distress.
func (i injected) distress(code int, text string) string {
	switch i.place {
	case CodeInStatus:
		return fmt.Sprintf(`{"status":%d,"data":[],"message":%q}`, code, text)
	case CodeAbsent:
		return fmt.Sprintf(`{"data":[],"error":%q}`, text)
	default:
		return fmt.Sprintf(`{"code":%d,"data":[],"message":%q}`, code, text)
	}
}

// actBefore lets the fault act before the call is handled, and reports whether to handle it.
func (i injected) actBefore(w http.ResponseWriter, r *http.Request) bool {
	switch i.fault {
	case CutBefore, Late:
		panic(http.ErrAbortHandler) // cuts the connection, and net/http keeps quiet about it
	case Err500Before:
		i.fail(w)
		return false
	case Bad502:
		writePage(w, http.StatusBadGateway, pageBadGateway)
		return false
	case TooMany:
		i.tooMany(w)
		return false
	case Slow:
		if !wait(r, i.delay) {
			panic(http.ErrAbortHandler)
		}
		return true
	default:
		return true
	}
}

// fail answers code 500; whether the HTTP status says so too is open.
func (i injected) fail(w http.ResponseWriter) {
	status := http.StatusOK
	if i.draw&1 == 0 {
		status = http.StatusInternalServerError
	}
	writeJSON(w, status, i.distress(codeServer, text500))
}

func (i injected) tooMany(w http.ResponseWriter) {
	if i.draw&1 == 0 {
		w.Header()["Retry-After"] = []string{retryAfter(w.Header())}
	}
	switch which := i.draw >> 1 & 3; {
	case which == 0:
		writeJSON(w, http.StatusTooManyRequests, i.distress(codeTooMany, text429))
	case which == 2 && i.place != CodeAbsent: // nothing would tell that it is a refusal
		writeJSON(w, http.StatusOK, i.distress(codeTooMany, text429))
	default:
		writePage(w, http.StatusTooManyRequests, page429)
	}
}

// sendAfter sends the answer of a call that was handled, or what the fault leaves of it.
func (i injected) sendAfter(w http.ResponseWriter, r *http.Request, c *call) {
	switch i.fault {
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
		i.fail(w)
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
	if r.Context().Done() == nil {            // nobody can tell that the caller has gone
		panic(http.ErrAbortHandler)
	}
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
