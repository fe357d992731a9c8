package cmd

import (
	"fmt"
	"io"
	"time"
)

// progress shows what is being done: on a terminal when it takes longer than two seconds, elsewhere with a line each
// half minute.
type progress struct {
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

func newProgress(out io.Writer) *progress {
	p := &progress{out: out, terminal: isDevice(out), next: time.Now().Add(progressLine)}
	if p.terminal {
		p.next = time.Now().Add(progressAfter)
	}
	return p
}

// say shows what is done now.
func (p *progress) say(what string) {
	now := time.Now()
	switch what = plain(what, 0); {
	case now.Before(p.next):
	case p.terminal:
		p.next, p.said = now.Add(progressEvery), true
		_, _ = fmt.Fprint(p.out, wipe+what)
	default:
		p.next = now.Add(progressLine)
		_, _ = fmt.Fprintln(p.out, what)
	}
}

// end takes away what was shown.
func (p *progress) end() {
	if p.said {
		_, _ = fmt.Fprint(p.out, wipe)
	}
}
