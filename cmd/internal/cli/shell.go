package cli

import (
	"io"
	"os"
	"strings"

	"go.uber.org/fx"
)

// Shell is what surrounds the command: its arguments, its environment and its streams.
type Shell struct {
	Args    []string
	Environ []string // "NAME=value", as os.Environ gives it
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// Hangup returns SIGHUPs until quiet is called; one of a terminal that is gone calls gone instead. nil where there are none.
	Hangup func(gone func()) (calls <-chan os.Signal, quiet func())
	// With is what a program of one's own adds to each bot that run makes.
	With []fx.Option
}

// NotifyHangups returns the SIGHUPs from now on; none where there is no such signal.
func (sh Shell) NotifyHangups(gone func()) (calls <-chan os.Signal, quiet func()) {
	if sh.Hangup == nil {
		return nil, func() {}
	}
	return sh.Hangup(gone)
}

// GetVariable returns a variable of the environment.
func (sh Shell) GetVariable(name string) string {
	for _, v := range sh.Environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
