//go:build unix

package store_test

import (
	"cmp"
	"context"
	"database/sql"
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
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/store"
)

// server is a server of PostgreSQL of the test's own: in a folder of its own, reached by a socket there, and over with the
// process of the test, however that ends.
type server struct {
	dir   string
	bin   string
	owner *syscall.Credential // who runs it; nil for whoever runs the test
	mu    sync.Mutex
	run   *exec.Cmd
	leash io.Closer // its end ends the server
	made  int       // schemas
	free  []string  // URLs of those that no test uses
}

// shared is the one of all tests but those that kill it. It is started when the first of them wants it.
var shared struct {
	once   sync.Once
	server *server
	err    error
}

// errNoServer is the error of a machine without the programs of PostgreSQL.
var errNoServer = errors.New("no initdb and postgres, neither in PATH nor in /usr/lib/postgresql/*/bin: the tests of PostgreSQL are left out " +
	"(NECTAR_TEST_PG=required makes that a failure)")

// postgres returns the server of all tests.
func postgres(tb testing.TB) *server {
	tb.Helper()
	shared.once.Do(func() { shared.server, shared.err = newServer() })
	return needed(tb, shared.server, shared.err)
}

// ownServer returns a server that a test may kill.
func ownServer(t *testing.T) *server {
	t.Helper()
	s, err := newServer()
	t.Cleanup(func() {
		if err == nil {
			s.stop()
		}
	})
	return needed(t, s, err)
}

func needed(tb testing.TB, s *server, err error) *server {
	tb.Helper()
	switch {
	case err == nil:
		return s
	case errors.Is(err, errNoServer) && os.Getenv("NECTAR_TEST_PG") != "required":
		tb.Skip(err)
	}
	tb.Fatal(err)
	return nil
}

// stopPostgres ends what the tests have started.
func stopPostgres() {
	if shared.server != nil {
		shared.server.stop()
	}
}

func newServer() (_ *server, err error) {
	s := &server{}
	if s.bin, err = programs(); err != nil {
		return nil, err
	}
	if s.owner, err = servant(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "nectar-pg-"); err != nil { // a short one: the name of a socket has little room
		return nil, err
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.owner != nil {
		if err := os.Chown(s.dir, int(s.owner.Uid), int(s.owner.Gid)); err != nil {
			return nil, err
		}
	}
	init := s.command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "bot", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, s.start()
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
	return "", errNoServer
}

func exists(path string) bool {
	_, err := os.Stat(path)
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

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...) //nolint:noctx // it is ended by its own means
	c.Dir = s.dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	return c
}

// start starts the server, and returns when it answers. A shell holds it: it ends with its standard input.
func (s *server) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		up, err := s.tryStart()
		if up || err != nil {
			return err
		}
		if time.Since(began) > time.Minute {
			said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("the server does not start: %s", said)
		}
	}
}

// tryStart starts the server; false when it has ended at once, since processes of the one before are still there.
func (s *server) tryStart() (bool, error) {
	args := []string{
		"-D", s.data(), "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=off",
		"-c", "max_connections=300", "-c", "shared_buffers=64MB", "-c", "log_min_messages=fatal", "-c", "restart_after_crash=on",
	}
	hold := `"$@" & server=$!; echo $server; (while read -r _; do :; done; kill -QUIT $server) 2>/dev/null <&3 & wait $server; kill $! 2>/dev/null`
	c := s.command("sh", append([]string{"-c", "exec 3<&0; " + hold, "sh", filepath.Join(s.bin, "postgres")}, args...)...)
	leash, err := c.StdinPipe()
	if err != nil {
		return false, err
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
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
		ready := s.command(filepath.Join(s.bin, "pg_isready"), "-h", s.dir, "-U", "bot", "-d", "postgres", "-q")
		if ready.Run() == nil {
			return true, nil
		}
		if ended, err := syscall.Wait4(c.Process.Pid, nil, syscall.WNOHANG, nil); ended != 0 || err != nil {
			s.run = nil
			return false, leash.Close()
		}
		if time.Since(began) > time.Minute {
			said, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return false, fmt.Errorf("the server does not answer: %s", said)
		}
	}
}

// pid returns the number of the server's process.
func (s *server) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(line)
}

// kill kills the server and all its processes with it, as a loss of power would.
func (s *server) kill() error {
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

// stop ends the server, and takes its folder away.
func (s *server) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		_ = s.leash.Close()
		_ = s.run.Wait() // it was told to end at once
		s.run = nil
	}
	_ = os.RemoveAll(s.dir)
}

// url returns the URL of the server's database, with parameters.
func (s *server) url(parameters string) string {
	return "postgres://bot@/postgres?host=" + s.dir + cmp.Or(parameters, "")
}

// bare returns the URL of a schema without tables.
func (s *server) bare(tb testing.TB) string {
	tb.Helper()
	s.mu.Lock()
	s.made++
	name := fmt.Sprint("t", s.made)
	s.mu.Unlock()
	s.sql(tb, "CREATE SCHEMA "+name)
	return s.url("&search_path=" + name)
}

// schema returns the URL of a schema without rows, for a test alone, in which all is sealed with "key". It is used again after
// the test, since to make one takes longer than many a test.
func (s *server) schema(tb testing.TB) string {
	tb.Helper()
	s.mu.Lock()
	url := ""
	if n := len(s.free); n > 0 {
		url, s.free = s.free[n-1], s.free[:n-1]
	}
	s.mu.Unlock()
	if url == "" {
		url = s.bare(tb)
		sealAll(tb, url)
	}
	s.clear(tb, url)
	tb.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, url)
	})
	return url
}

// sql runs a statement as the owner of all.
func (s *server) sql(tb testing.TB, text string) {
	tb.Helper()
	sqlOn(tb, s.url(""), text)
}

// sqlOn runs a statement on the database at a URL, and returns its rows.
func sqlOn(tb testing.TB, url, text string) (all [][]any) {
	tb.Helper()
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	return rowsOf(tb, db, text)
}

// rowsOf runs a statement, and returns its rows.
func rowsOf(tb testing.TB, db *sql.DB, text string) (all [][]any) {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			tb.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return all
}

// clear deletes the rows of a schema, if there are tables.
func (s *server) clear(tb testing.TB, url string) {
	tb.Helper()
	sqlOn(tb, url, `DO $$ DECLARE t text; BEGIN
		FOR t IN SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
			AND relname NOT IN ('meta', 'schema_version', 'seal_key', 'sealing', 'seal_user')
		LOOP EXECUTE 'DELETE FROM ' || t; END LOOP; END $$`)
}

// killConnections kills the processes of the server that work on a schema, as the death of a client would end them.
func (s *server) killConnections(tb testing.TB, url string) {
	tb.Helper()
	sqlOn(tb, url, `SELECT pg_terminate_backend(backend_pid, 5000) FROM fence`)
}

// shoot ends the server's process that writes on a schema with kill -9, which makes the server begin anew; false when there
// is none at the moment.
func (s *server) shoot(ctx context.Context, url string) bool {
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		return false
	}
	defer func() { _ = db.Close() }()
	pid := 0
	if db.QueryRowContext(ctx, `SELECT pid FROM fence JOIN pg_stat_activity ON pid = backend_pid`).Scan(&pid) != nil {
		return false
	}
	return syscall.Kill(pid, syscall.SIGKILL) == nil
}
