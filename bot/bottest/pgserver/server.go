//go:build unix

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a server of PostgreSQL of a program's own: in a folder of its own, reached by a socket there, and over with the
// process that started it, however that ends.
type Server struct {
	Dir string // its folder, with the socket

	bin   string
	owner *syscall.Credential // the user of the server; nil for the user of this process
	o     Options

	mounted bool // Dir is a disk of its own; it belongs to the test that fills it

	mu    sync.Mutex // guards the fields below
	run   *exec.Cmd
	leash io.Closer     // its end ends the server
	spent time.Duration // CPU, of what is over
}

// New makes a server, and starts it.
func New(o Options) (*Server, error) {
	bin, err := programsFolder()
	if err != nil {
		return nil, err
	}
	s, err := newServer(o, bin, func(s *Server) error {
		init := s.serverCommand(filepath.Join(bin, "initdb"), "-D", s.Data(), "-U", "bot", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
		if out, err := init.CombinedOutput(); err != nil {
			return fmt.Errorf("initdb: %w\n%s", err, out)
		}
		return nil
	})
	if err == nil && o.Copy != "" {
		if err = s.takeOver(o.Copy); err != nil {
			s.Stop()
		}
	}
	return s, err
}

// newServer makes a server in a folder of its own, of what fill puts there, and starts it.
func newServer(o Options, bin string, fill func(*Server) error) (_ *Server, err error) {
	s := &Server{o: o, bin: bin}
	if s.owner, err = serverUser(); err != nil {
		return nil, err
	}
	if s.Dir, err = os.MkdirTemp("", "nectar-pg-"); err != nil { // a short one: the name of a socket has little room
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if err := s.makeRoom(); err != nil {
		return nil, err
	}
	if s.owner != nil {
		if err := os.Chown(s.Dir, int(s.owner.Uid), int(s.owner.Gid)); err != nil {
			return nil, err
		}
	}
	if err := fill(s); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// Data returns the folder of its databases.
func (s *Server) Data() string { return filepath.Join(s.Dir, "data") }

// serverCommand runs a program as the user of the server.
func (s *Server) serverCommand(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...) //nolint:noctx,gosec // it is ended by its own means, and one of PostgreSQL
	c.Dir = s.Dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	return c
}

// Start starts the server, and returns when it answers. A shell holds it: it ends with its standard input.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		up, err := s.tryStartLocked()
		if up || err != nil {
			return err
		}
		if time.Since(began) > time.Minute {
			said, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			return fmt.Errorf("the server does not start: %s", said)
		}
	}
}

// StartAgain starts the server if it has ended by itself.
func (s *Server) StartAgain() error {
	s.mu.Lock()
	pid := 0
	if s.run != nil {
		pid = s.run.Process.Pid
	}
	s.mu.Unlock()
	if pid != 0 {
		ended, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if ended == 0 && err == nil {
			return nil
		}
		s.mu.Lock()
		s.run = nil
		err = s.leash.Close()
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return s.Start()
}

// tryStartLocked starts the server; false when it has ended at once, since processes of the one before are still there.
func (s *Server) tryStartLocked() (bool, error) {
	args := []string{
		"-D", s.Data(), "-k", s.Dir, "-c", "listen_addresses=", "-c", "max_connections=300", "-c", "shared_buffers=64MB", "-c", "restart_after_crash=on",
	}
	if s.o.Careless {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "log_min_messages=fatal")
	}
	hold := `"$@" & server=$!; echo $server; (while read -r _; do :; done; kill -QUIT $server) 2>/dev/null <&3 & wait $server; kill $! 2>/dev/null`
	c := s.serverCommand("sh", append([]string{"-c", "exec 3<&0; " + hold, "sh", filepath.Join(s.bin, "postgres")}, args...)...)
	leash, err := c.StdinPipe()
	if err != nil {
		return false, err
	}
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { _ = log.Close() }()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return false, err
	}
	s.run, s.leash = c, leash
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		ready := s.serverCommand(filepath.Join(s.bin, "pg_isready"), "-h", s.Dir, "-U", "bot", "-d", "postgres", "-q")
		if ready.Run() == nil {
			return true, nil
		}
		if ended, err := syscall.Wait4(c.Process.Pid, nil, syscall.WNOHANG, nil); ended != 0 || err != nil {
			s.run = nil
			return false, leash.Close()
		}
		if time.Since(began) > time.Minute {
			said, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			return false, fmt.Errorf("the server does not answer: %s", said)
		}
	}
}

// pid returns the number of the server's process.
func (s *Server) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.Data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(line)
}

// Kill kills the server and all its processes with it, as a loss of power would.
func (s *Server) Kill() error { return s.End(syscall.SIGKILL) }

// End ends the server by a signal: with SIGINT it finishes what it is doing, with SIGQUIT it does not, and SIGKILL is what Kill sends.
func (s *Server) End(by syscall.Signal) error {
	pid, err := s.pid()
	if err == nil {
		err = syscall.Kill(pid, by)
	}
	if err != nil {
		return fmt.Errorf("end the server: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.overLocked(by != syscall.SIGKILL)
	return nil
}

// overLocked notes that the server is over, once it is.
func (s *Server) overLocked(byItself bool) {
	if s.run == nil {
		return
	}
	if !byItself {
		_ = s.leash.Close()
	}
	_ = s.run.Wait() // it was told to end
	_ = s.leash.Close()
	s.spent += s.run.ProcessState.UserTime() + s.run.ProcessState.SystemTime()
	s.run = nil
}

// Stop ends the server, and takes its folder away.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.overLocked(false)
	s.giveRoom()
	_ = os.RemoveAll(s.Dir)
}

// CPU returns what the server has used, as far as its processes are over, and were not killed: all of it after Stop, or End.
func (s *Server) CPU() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spent
}

// Socket returns the path of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.Dir, ".s.PGSQL.5432") }

// Log returns what the server has said.
func (s *Server) Log() ([]byte, error) { return os.ReadFile(filepath.Join(s.Dir, "log")) }

// Exec runs statements as the owner of all.
func (s *Server) Exec(ctx context.Context, text string) error {
	conn, err := pgconn.Connect(ctx, s.URL(""))
	if err != nil {
		return fmt.Errorf("reach the server: %w", err)
	}
	_, err = conn.Exec(ctx, text).ReadAll()
	return errors.Join(err, conn.Close(ctx))
}

// URL returns the URL of the server's database, with parameters.
func (s *Server) URL(parameters string) string {
	return "postgres://bot@/postgres?host=" + s.Dir + parameters
}
