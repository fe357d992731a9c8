package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// expense is what the bot cost.
type expense struct {
	cpu  time.Duration
	peak float64 // MB of memory; 0 where the system does not tell

	written int64 // bytes, to disks; 0 where the system does not tell
}

// actor is the bot of a demo: a child process that can be killed and started again, or a goroutine.
type actor struct {
	spawn func(ctx context.Context) (*incarnation, error)
	dead  func() // is called while no bot runs

	mu          sync.Mutex // guards the fields below
	incarnation *incarnation
	spent       expense
}

// incarnation is one run of the bot.
type incarnation struct {
	kill func()
	stop func() // asks for a clean end
	wait func() (expense, error)
}

func (st *stage) start(ctx context.Context, log io.Writer) (*actor, error) {
	a := &actor{spawn: func(context.Context) (*incarnation, error) { return st.child(log) }, dead: st.judgeKilled}
	if st.demo.InProcess {
		a.spawn = st.goroutine
	}
	var err error
	a.incarnation, err = a.spawn(ctx)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// killAndRestart ends the bot as a power cut would, and starts it on what it left.
func (a *actor) killAndRestart(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.incarnation.kill()
	ex, _ := a.incarnation.wait() // it was killed: its status says so
	a.addLocked(ex)
	a.dead()
	var err error
	a.incarnation, err = a.spawn(ctx)
	return err
}

// stopBot stops the bot cleanly and returns what all its incarnations cost.
func (a *actor) stopBot() (expense, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.incarnation.stop()
	ex, err := a.incarnation.wait()
	a.addLocked(ex)
	if err != nil {
		return a.spent, fmt.Errorf("the bot did not end cleanly: %w", err)
	}
	return a.spent, nil
}

func (a *actor) addLocked(ex expense) {
	a.spent.add(ex)
}

// child starts the bot as a process of its own.
func (st *stage) child(log io.Writer) (*incarnation, error) {
	p, err := startProcess(log, st.botEnvironment()...)
	if err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(p.out).ReadString('\n'); err != nil || line != Ready {
		p.kill()
		_, werr := p.wait()
		return nil, fmt.Errorf("the bot did not start: %w", errors.Join(err, werr))
	}
	return &incarnation{kill: p.kill, stop: func() { _ = p.in.Close() }, wait: p.wait}, nil
}

// process is this program once more, as the bot of a demo or a worker of it. The bot ends when its standard input is closed.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader // what it says
}

// startProcess starts one, which logs there.
func startProcess(log io.Writer, environment ...string) (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program to start the bot with: %w", err)
	}
	p := &process{cmd: exec.Command(exe, BotCommand)} //nolint:noctx,gosec // this very program; it outlives what has started it
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), environment...), log
	in, err := p.cmd.StdinPipe()
	if err == nil {
		p.in = in
		p.out, err = p.cmd.StdoutPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the bot: %w", err)
	}
	return p, nil
}

func (p *process) kill() { _ = p.cmd.Process.Kill() } // it may have ended

// wait returns when it has ended: what it has cost, and how it ended.
func (p *process) wait() (expense, error) {
	// Read to its end before the process is waited for: Wait closes the pipe, and a bot that is saying something would get an error for it.
	_, _ = io.Copy(io.Discard, p.out)
	err := p.cmd.Wait()
	_ = p.in.Close()
	return expenseOf(p.cmd.ProcessState), err
}

// goroutine runs the bot in this process.
func (st *stage) goroutine(ctx context.Context) (*incarnation, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ready, done := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() { done <- st.demo.RunBot(ctx, st.botSettings(), func() { once.Do(func() { close(ready) }) }) }()
	select {
	case <-ready:
	case err := <-done:
		cancel()
		return nil, fmt.Errorf("the bot did not start: %w", err)
	}
	return &incarnation{kill: cancel, stop: cancel, wait: func() (expense, error) { return expense{}, <-done }}, nil
}

func expenseOf(p *os.ProcessState) expense {
	if p == nil {
		return expense{}
	}
	peak, written := usageOf(p)
	return expense{cpu: p.UserTime() + p.SystemTime(), peak: peak, written: written}
}

// add takes what another run of the bot cost.
func (e *expense) add(other expense) {
	e.cpu += other.cpu
	e.peak = max(e.peak, other.peak)
	e.written += other.written
}
