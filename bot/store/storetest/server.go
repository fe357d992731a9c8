//go:build unix

package storetest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Server is a server of PostgreSQL of a test's own: in a folder of its own, reached by a socket there, and over with the
// process of the test, however that ends.
type Server struct {
	Dir string // its folder, with the socket

	bin   string
	owner *syscall.Credential // who runs it; nil for whoever runs the test
	mu    sync.Mutex
	run   *exec.Cmd
	leash io.Closer // its end ends the server
}

// ErrNone is the error of a machine without the programs of PostgreSQL.
var ErrNone = errors.New("no initdb and postgres, neither in PATH nor in /usr/lib/postgresql/*/bin: the tests of PostgreSQL are left out " +
	"(NECTAR_TEST_PG=required makes that a failure)")

// MayBeMissing tells whether a test may be left out for an error.
func MayBeMissing(err error) bool {
	return errors.Is(err, ErrNone) && os.Getenv("NECTAR_TEST_PG") != "required"
}

// New makes a server, and starts it.
func New() (_ *Server, err error) {
	s := &Server{}
	if s.bin, err = programs(); err != nil {
		return nil, err
	}
	if s.owner, err = servant(); err != nil {
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
	if s.owner != nil {
		if err := os.Chown(s.Dir, int(s.owner.Uid), int(s.owner.Gid)); err != nil {
			return nil, err
		}
	}
	init := s.command(filepath.Join(s.bin, "initdb"), "-D", s.Data(), "-U", "bot", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, s.Start()
}

// programs returns the folder of the newest programs.
func programs() (string, error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	best, newest := "", 0
	for _, f := range folders {
		if n, _ := strconv.Atoi(filepath.Base(filepath.Dir(f))); n > newest && exists(filepath.Join(f, "postgres")) && exists(filepath.Join(f, "initdb")) {
			best, newest = f, n
		}
	}
	if best != "" {
		return best, nil
	}
	for _, f := range filepath.SplitList(os.Getenv("PATH")) {
		if exists(filepath.Join(f, "initdb")) && exists(filepath.Join(f, "postgres")) {
			return f, nil
		}
	}
	return "", ErrNone
}

func exists(path string) bool {
	_, err := os.Stat(path) //nolint:gosec // whoever runs the test says where programs are
	return err == nil
}

// servant returns who runs the server: root may not.
func servant() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // whoever runs the test
	}
	var u *user.User
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		if u, err = user.Lookup(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("root may not run PostgreSQL, and there is nobody else: %w", err)
	}
	uid, uerr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gerr := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uerr, gerr)
}

// Data returns the folder of its databases.
func (s *Server) Data() string { return filepath.Join(s.Dir, "data") }

// command runs a program as whoever runs the server.
func (s *Server) command(name string, args ...string) *exec.Cmd {
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
		up, err := s.tryStart()
		if up || err != nil {
			return err
		}
		if time.Since(began) > time.Minute {
			said, _ := os.ReadFile(filepath.Join(s.Dir, "log"))
			return fmt.Errorf("the server does not start: %s", said)
		}
	}
}

// tryStart starts the server; false when it has ended at once, since processes of the one before are still there.
func (s *Server) tryStart() (bool, error) {
	args := []string{
		"-D", s.Data(), "-k", s.Dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off",
		"-c", "max_connections=300", "-c", "shared_buffers=64MB", "-c", "log_min_messages=fatal", "-c", "restart_after_crash=on",
	}
	hold := `"$@" & server=$!; echo $server; (while read -r _; do :; done; kill -QUIT $server) 2>/dev/null <&3 & wait $server; kill $! 2>/dev/null`
	c := s.command("sh", append([]string{"-c", "exec 3<&0; " + hold, "sh", filepath.Join(s.bin, "postgres")}, args...)...)
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
		ready := s.command(filepath.Join(s.bin, "pg_isready"), "-h", s.Dir, "-U", "bot", "-d", "postgres", "-q")
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
func (s *Server) Kill() error {
	pid, err := s.pid()
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.leash.Close()
	_ = s.run.Wait() // it was killed
	s.run = nil
	return nil
}

// Stop ends the server, and takes its folder away.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		_ = s.leash.Close()
		_ = s.run.Wait() // it was told to end at once
		s.run = nil
	}
	_ = os.RemoveAll(s.Dir)
}

// URL returns the URL of the server's database, with parameters.
func (s *Server) URL(parameters string) string {
	return "postgres://bot@/postgres?host=" + s.Dir + parameters
}
