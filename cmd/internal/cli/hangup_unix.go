//go:build unix

package cli

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// NotifyHangup returns the SIGHUPs that ask for the settings to be read again, until quiet is called. Several that nobody has taken yet
// are one. The terminal on which the command was started sends one, too, when it is closed: then gone is called.
func NotifyHangup(gone func()) (calls <-chan os.Signal, quiet func()) {
	terminals := slices.DeleteFunc([]*os.File{os.Stdin, os.Stdout, os.Stderr}, func(f *os.File) bool { return !term.IsTerminal(f.Fd()) })
	if signal.Ignored(syscall.SIGHUP) { // by nohup: it outlives its terminal
		terminals = nil
	}
	raw, all, end := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(raw, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-end:
				return
			case s := <-raw:
				if slices.ContainsFunc(terminals, func(f *os.File) bool { return !term.IsTerminal(f.Fd()) }) {
					gone()
					continue
				}
				select {
				case all <- s:
				default: // what is asked for already reads the settings of this moment, too
				}
			}
		}
	}()
	// SIGHUPs are still taken afterwards, and do nothing: one that comes while a run ends must not end it otherwise.
	return all, func() { close(end) }
}
