//go:build unix

package config

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// readerGone gets a signal for each line that nobody reads. It is taken by nobody: that the program asks for it is what keeps the system
// from ending the process. To ignore it would be passed on to programs that this one starts.
var readerGone = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) })

// surviveClosedPipe lets the process go on when the reader of one of its streams goes away: a write fails then.
func surviveClosedPipe(f *os.File) {
	if fd := f.Fd(); fd == 1 || fd == 2 { // of others a write only fails
		readerGone()
	}
}
