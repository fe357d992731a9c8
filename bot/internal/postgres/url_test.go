package postgres_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	_ "github.com/nectar-bot/nectar/bot/postgres"
)

// What one reader of URLs takes for a part of the password, and another one for the end of the host, is refused without a word of it.
func TestPasswordsThatAreNotEncoded(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"postgres://bot:1234/geheim@db.example/nectar", "postgres://bot:#geheim@db.example/nectar", "postgres://bot:ge#heim@db.example/nectar",
		"postgres://bot:ge@heim@db.example/nectar", "postgres://bot:1?geheim@db.example/nectar", "postgres://bot:1/geheim@x/nectar?sslmode=disable",
		"postgres://db.example/nectar?user=bot@geheim", "postgres://bot:1@db.example/geheim/nectar", "postgres://bot@db.example/nectar#geheim",
		"postgres://bot:/geheim@db.example", "postgres://bot:@geheim@db.example/", "postgres://bot@db.example/nectar?password=geheim;&sslmode=disable", "postgres://bot@db.example/nectar?sslmode=verify-full;geheim",
	} {
		err := remote.CheckURL(text)
		if err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", text, err)
		}
		if name := remote.NameOf(text); name != "the database" {
			t.Errorf("%s is called %q", text, name)
		}
	}
	for text, want := range map[string]string{
		"postgres://bot:ge%23%40%2F%3Fheim@db.example/nectar":               "the database nectar on db.example",
		"postgres://bot@/nectar?host=/run/postgresql":                       "the database nectar on /run/postgresql",
		"postgres://bot:geheim@db.example":                                  "the database on db.example",
		"postgres://bot:geheim@a.example:1,b.example:2/nectar?sslmode=none": "the database",
	} {
		if name := remote.NameOf(text); name != want {
			t.Errorf("%s is called %q, want %q", text, name, want)
		}
	}
	if err := remote.CheckURL("postgres://bot:geheim@db.example/nectar?sslmode=of"); err == nil || !strings.Contains(err.Error(), "its sslmode is none of disable, ") {
		t.Errorf("sslmode=of: %v", err)
	}
}

// A server on another machine that need not prove who it is is told apart.
func TestServersThatProveNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"postgres://bot:geheim@db.example/nectar": false, "postgres://bot:geheim@db.example/nectar?sslmode=require": true,
		"postgres://bot:geheim@db.example/nectar?sslmode=disable": true, "postgres://bot:geheim@localhost/nectar?sslmode=disable": false,
		"postgres://bot:geheim@/nectar?host=/run/postgresql": false,
	} {
		c, err := postgres.ParseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := postgres.IsUnproven(c); got != want {
			t.Errorf("%s proves nothing: %v", text, got)
		}
	}
}

// clear is a server that asks for the password in clear, and keeps what it is told.
type clear struct {
	net.Listener
	mu   sync.Mutex
	told []byte
}

func askInClear(t *testing.T) *clear {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &clear{Listener: l}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(conn)
		}
	}()
	return c
}

func (c *clear) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	size := make([]byte, 4)
	if _, err := io.ReadFull(conn, size); err != nil {
		return
	}
	if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(size))-4); err != nil {
		return
	}
	_, _ = conn.Write([]byte{'R', 0, 0, 0, 8, 0, 0, 0, 3})
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	told := make([]byte, 64)
	n, _ := conn.Read(told)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, told[:n]...)
}

// A server that has not proven who it is is not told the password in clear, unless the URL says so.
func TestPasswordInClear(t *testing.T) {
	t.Parallel()
	for query, tells := range map[string]bool{"": false, "&require_auth=password": true} {
		server := askInClear(t)
		config, err := postgres.ParseURL("postgres://bot:geheim@" + server.Addr().String() + "/nectar?sslmode=disable" + query)
		if err != nil {
			t.Fatal(err)
		}
		db := postgres.OpenDB(config, 1)
		err = postgres.ExplainError(db.PingContext(t.Context()))
		_ = db.Close()
		_ = server.Close()
		server.mu.Lock()
		told := strings.Contains(string(server.told), "geheim")
		server.mu.Unlock()
		if told != tells {
			t.Errorf("with %q the server was told the password: %v", query, told)
		}
		if !tells && (err == nil || !strings.Contains(err.Error(), "asks for the password in clear")) {
			t.Errorf("%v", err)
		}
	}
}

// A server that hangs up is told in one line without a hole.
func TestServerThatHangsUp(t *testing.T) {
	t.Parallel()
	server := askInClear(t)
	config, err := postgres.ParseURL("postgres://bot:geheim@" + server.Addr().String() + "/nectar?sslmode=disable&require_auth=password")
	if err != nil {
		t.Fatal(err)
	}
	db := postgres.OpenDB(config, 1)
	defer func() { _ = db.Close() }()
	if err := postgres.ExplainError(db.PingContext(t.Context())); err == nil || strings.Contains(err.Error(), ": :") || !strings.Contains(err.Error(), "failed to receive message") {
		t.Errorf("%v", err)
	}
}

// Whatever stands in a URL: it is refused, or read as net/url reads it, and neither its name nor what is wrong with it has the password.
func FuzzParseURL(f *testing.F) {
	for _, seed := range [][4]string{
		{"bot", "geheim", "db.example:5432", "nectar"},
		{"bot", "1234/geheim", "h", "d"},
		{"bot", "#geheim", "h", "d?sslmode=disable"},
		{"bot", "ge@heim", "h", "d"},
		{"bot", "ge%2Fheim", "[::1]:1", "d?host=x"},
		{"", "", "a,b:1", "d#x"},
		{"bot", "ge\\heim", "h\\x", "%2f"},
		{"bot", "geheim", "", "?password=secret99&sslmode=of"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, user, password, host, rest string) {
		if strings.ContainsAny(user, ":/?#@") { // where the password begins is not the question
			return
		}
		text := "postgres://" + user + ":" + password + "@" + host + "/" + rest
		secret := len(password) > 5 && !strings.Contains("postgres://user:password@host:5432/database the database on "+user+host+rest, password)
		if secret && strings.Contains(remote.NameOf(text), password) {
			t.Errorf("%q is called %q", text, remote.NameOf(text))
		}
		c, err := postgres.ParseURL(text)
		if err != nil {
			if secret && strings.Contains(err.Error(), password) || errors.As(err, new(*pgconn.ParseConfigError)) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		where, err := url.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want, encoded := url.PathUnescape(password)
		if q := where.Query(); encoded == nil && !q.Has("password") && !q.Has("passfile") && want != "" && c.Password != want {
			t.Errorf("%q: the password is %q", text, c.Password)
		}
	})
}
