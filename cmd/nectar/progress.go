package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows on a terminal what is being done, when it takes longer than two seconds.
type progress struct {
	out  io.Writer // nil where there is no terminal
	next time.Time
	said bool
}

const (
	progressAfter = 2 * time.Second
	progressEvery = 200 * time.Millisecond
	wipe          = "\r\x1b[K" // to the beginning of the line, which it empties
)

func newProgress(out io.Writer) *progress {
	p := &progress{next: time.Now().Add(progressAfter)}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = out
		}
	}
	return p
}

// say shows what is done now.
func (p *progress) say(what string) {
	now := time.Now()
	if p.out == nil || now.Before(p.next) {
		return
	}
	p.next, p.said = now.Add(progressEvery), true
	_, _ = fmt.Fprint(p.out, wipe+what)
}

// end takes away what was shown.
func (p *progress) end() {
	if p.said {
		_, _ = fmt.Fprint(p.out, wipe)
	}
}
