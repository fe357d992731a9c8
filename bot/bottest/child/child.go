// Package child (nothing is promised of it) starts programs for tests in processes of their own, where they can be stopped and killed, and the next incarnation
// begins on the same files. The test binary itself is the program: Main makes it one.
//
//	func TestMain(m *testing.M) {
//		child.Main(map[string]func(){"nectar": cmd.Main})
//		os.Exit(m.Run())
//	}
//
//	p := child.Start(t, child.Command{As: "nectar", Args: []string{"run"}, Dir: dir})
//	p.Await(t, "the bot is at work")
//	p.Kill()
package child

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// variable is what says in the environment which child a process is.
const variable = "NECTAR_TEST_CHILD"

// Main returns in the process of the tests. In one that Start has started it calls the child by its name, and ends.
func Main(children map[string]func()) {
	name, is := os.LookupEnv(variable)
	if !is {
		return
	}
	be, ok := children[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "the tests know no child %q\n", name)
		os.Exit(3)
	}
	be()
	os.Exit(0)
}

// Command is what is started.
type Command struct {
	As      string // the name of a child of Main
	Program string // what is run; "" is the test binary
	Args    []string
	Dir     string   // the folder it works in; "" is a new one
	Env     []string // all that it has; nil is nothing
	Stdin   io.Reader
	Stdout  io.Writer // also gets what the process prints there
	Stderr  *os.File  // alone gets what the process prints there
}

// Process is a child. It ends with the test at the latest, and is waited for. A test that did not see it end by itself fails.
type Process struct {
	Output        // of both kinds
	Dir    string // the folder it works in

	tb   testing.TB
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended, and all that it printed is there
	seen atomic.Bool   // the test knows that it has ended
}

// Start starts a child.
func Start(tb testing.TB, c Command) *Process {
	tb.Helper()
	if c.Dir == "" {
		c.Dir = tb.TempDir()
	}
	p := &Process{Dir: c.Dir, tb: tb, over: make(chan struct{})}
	p.cmd = exec.Command(cmp.Or(c.Program, os.Args[0]), c.Args...) //nolint:noctx,gosec // a test says which; it is ended below
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdin = c.Dir, append(slices.Clip(c.Env), variable+"="+c.As), c.Stdin
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = &p.Output, &p.Output, 10*time.Second
	if c.Stdout != nil {
		p.cmd.Stdout = io.MultiWriter(&p.Output, c.Stdout)
	}
	if c.Stderr != nil {
		p.cmd.Stderr = c.Stderr
	}
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // End looks at how it ended
		close(p.over)
		p.close()
	}()
	tb.Cleanup(p.reap)
	return p
}

// reap ends the child with its test.
func (p *Process) reap() {
	select {
	case <-p.over:
		if !p.seen.Load() {
			p.tb.Errorf("it ended by itself: %v\n%s", p.cmd.ProcessState, p)
		}
	default:
		_ = p.cmd.Process.Kill() // it may have ended now
		<-p.over
	}
}

// Signal sends it a signal.
func (p *Process) Signal(s os.Signal) {
	p.tb.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.tb.Errorf("%v: %v\n%s", s, err, p)
	}
}

// Kill ends it as a loss of power would, and returns when it has ended.
func (p *Process) Kill() {
	p.tb.Helper()
	p.Signal(os.Kill)
	p.End()
}

// Stop asks it to end, as a service manager does, and returns when it has ended: with status 0, or the test fails. Windows has no such
// signal.
func (p *Process) Stop() {
	p.tb.Helper()
	p.Signal(syscall.SIGTERM)
	if status := p.End(); status != 0 {
		p.tb.Errorf("it ended with status %d:\n%s", status, p)
	}
}

// End returns its exit status when it has ended; as shells have it, 128 and the number of the signal when it was ended by one. How long that
// may take is for go test to say.
func (p *Process) End() (status int) {
	p.tb.Helper()
	<-p.over
	p.seen.Store(true)
	if ended, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ended.Signaled() {
		return 128 + int(ended.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}
