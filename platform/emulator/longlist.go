package emulator

import (
	"fmt"
	"net/http"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// ListTrouble is what befalls chat lists. Its zero value is nothing.
type ListTrouble struct {
	// Account is the account that the list belongs to; 0 for the lists of all accounts.
	Account platform.UserID
	// Phantoms is a number of rows on top of the list of people who are not there: get_messages refuses to
	// show them.
	Phantoms int
	// Restless lets the texts of phantoms be others in each list.
	Restless bool
	// Break cuts the connection after so many bytes of a list. 0 is never.
	Break int
	// Rate is how many bytes of a list leave in a second. 0 is as many as can.
	Rate int
}

// firstPhantom is an id that nobody has.
const firstPhantom = 1 << 40

// isOfCall reports whether the trouble is that of a call.
func (t *ListTrouble) isOfCall(c *call) bool {
	return c.endpoint.name == "get_chats" && (t.Account == 0 || c.account != nil && c.account.id == t.Account)
}

// TroubleLists changes what befalls chat lists, from the next call on.
func (p *Platform) TroubleLists(t ListTrouble) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trouble = t
}

// writePhantoms writes the rows of phantoms, and returns how many there are. The lock is held.
func (p *Platform) writePhantoms(c *call) int {
	if !p.trouble.isOfCall(c) {
		return 0
	}
	version := 0
	if p.trouble.Restless {
		p.restless++
		version = p.restless
	}
	for i := range p.trouble.Phantoms {
		c.beginItem(i)
		c.openObject()
		c.writeNumber("user_id", int64(firstPhantom+i))
		c.text("username", fmt.Sprint("phantom_", i))
		c.writeWords("name", fmt.Sprint("Phantom ", i))
		c.writeNumber("chat_id", int64(firstPhantom+i))
		c.writeAgo(c.now, c.now)
		c.writeWords("last_message", fmt.Sprint("boo ", version))
		c.writeUnread(1)
		c.closeObject()
	}
	return p.trouble.Phantoms
}

// troubledWriter returns a writer for the answer of a call, which a trouble may slow down or cut.
func (p *Platform) troubledWriter(w http.ResponseWriter, r *http.Request, c *call) http.ResponseWriter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trouble.Break == 0 && p.trouble.Rate == 0 || !p.trouble.isOfCall(c) {
		return w
	}
	return &troubledWriter{ResponseWriter: w, request: r, trouble: p.trouble}
}

// troubledWriter writes slowly, or breaks.
type troubledWriter struct {
	http.ResponseWriter
	request *http.Request
	trouble ListTrouble
	written int
}

// Write implements io.Writer.
func (w *troubledWriter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		piece := b[n:]
		if at := w.trouble.Break; at > 0 {
			piece = piece[:min(len(piece), at-w.written)]
		}
		if w.trouble.Rate > 0 {
			piece = piece[:min(len(piece), max(1, w.trouble.Rate/10))]
			if !wait(w.request, time.Second/10) {
				panic(http.ErrAbortHandler)
			}
		}
		m, err := w.ResponseWriter.Write(piece)
		n, w.written = n+m, w.written+m
		if err != nil {
			return n, err
		}
		_ = http.NewResponseController(w.ResponseWriter).Flush() // as far as it can
		if w.written == w.trouble.Break {
			panic(http.ErrAbortHandler)
		}
	}
	return n, nil
}
