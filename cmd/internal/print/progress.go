package print

import (
	"fmt"
	"io"
	"time"
)

// Progress shows what is being done: on a terminal when it takes longer than two seconds, elsewhere with a line each
// half minute.
type Progress struct {
	out      io.Writer
	terminal bool
	next     time.Time
	said     bool
}

const (
	progressAfter = 2 * time.Second
	progressEvery = 200 * time.Millisecond
	progressLine  = 30 * time.Second
	wipe          = "\r\x1b[K" // to the beginning of the line, which it empties
)

// NewProgress returns a progress that has said nothing yet.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, terminal: IsDevice(out), next: time.Now().Add(progressLine)}
	if p.terminal {
		p.next = time.Now().Add(progressAfter)
	}
	return p
}

// ShowStep shows what is done now.
func (p *Progress) ShowStep(what string) {
	now := time.Now()
	switch what = PlainText(what, 0); {
	case now.Before(p.next):
	case p.terminal:
		p.next, p.said = now.Add(progressEvery), true
		_, _ = fmt.Fprint(p.out, wipe+what)
	default:
		p.next = now.Add(progressLine)
		_, _ = fmt.Fprintln(p.out, what)
	}
}

// End takes away what was shown.
func (p *Progress) End() {
	if p.said {
		_, _ = fmt.Fprint(p.out, wipe)
	}
}
