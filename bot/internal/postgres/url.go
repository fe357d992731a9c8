package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/remote"
)

// The bounds of what the server does for a connection, in milliseconds, unless the URL has others.
var serverBounds = map[string]string{
	"statement_timeout":                   "10000",
	"lock_timeout":                        "2000",
	"idle_in_transaction_session_timeout": "5000",
}

// What is wrong with a URL, without a word of what stands in it.
var (
	errURL     = errors.New("it is no URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE (a password with signs such as / @ # ? has to be percent-encoded)")
	errURLFile = errors.New("it names a file that cannot be read: see its sslrootcert, sslcert or sslkey")
	errSSLMode = errors.New("its sslmode is none of " + strings.Join(sslModes, ", "))
)

var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// ParseURL reads the URL of a database, without a word of what stands in it when it is none. Without sslmode, and unless the
// server is on this machine, the connection is encrypted, and the server has to prove who it is. A server that does not is not told the password
// in clear, unless the URL has a require_auth.
func ParseURL(text string) (*pgconn.Config, error) {
	where, err := url.Parse(text)
	if err != nil || !remote.IsURL(text) || !readsOneWay(text) {
		return nil, errURL // what is wrong with it would show a part of it
	}
	query, err := url.ParseQuery(where.RawQuery)
	if err != nil { // a ; in it ends a parameter for some, and others read on
		return nil, errURL
	}
	if query.Has("sslmode") && !slices.Contains(sslModes, query.Get("sslmode")) {
		return nil, errSSLMode
	}
	c, err := pgconn.ParseConfig(text)
	if err == nil && isRemote(c) && !query.Has("sslmode") && os.Getenv("PGSSLMODE") == "" {
		c, err = pgconn.ParseConfig(text + map[bool]string{false: "?", true: "&"}[strings.Contains(text, "?")] + "sslmode=verify-full") //mutate:verify-full
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, errURLFile
	case err != nil:
		return nil, errURL
	}
	if c.RequireAuth == "" && !VerifiesServer(c) { //mutate:require-auth
		c.RequireAuth = "!password"
	}
	for name, value := range serverBounds {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "nectar"
	}
	c.RuntimeParams["client_encoding"] = "UTF8"
	if !query.Has("connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		c.ConnectTimeout = 5 * time.Second
	}
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}
	c.DialFunc = dialer.DialContext
	return c, nil
}

// readsOneWay reports whether all who read a URL find the same host in it: a raw sign in a password that ends the part before the path for some
// leaves an @ behind it.
func readsOneWay(text string) bool {
	_, rest, _ := strings.Cut(text, "://")
	end := len(rest)
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		end = i
	}
	_, path, _ := strings.Cut(rest[end:], "/")
	path, _, _ = strings.Cut(path, "?")
	return !strings.Contains(rest, "#") && !strings.Contains(rest[end:], "@") && strings.Count(rest[:end], "@") <= 1 && !strings.Contains(path, "/") //mutate:url-one-way
}

// VerifiesServer reports whether every server has to prove who it is, at least by a certificate that is trusted.
func VerifiesServer(c *pgconn.Config) bool {
	verifies := func(t *tls.Config) bool {
		return t != nil && (!t.InsecureSkipVerify || t.VerifyPeerCertificate != nil || t.VerifyConnection != nil)
	}
	return verifies(c.TLSConfig) && !slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return !verifies(f.TLSConfig) })
}

// IsUnproven reports whether a server on another machine need not prove that it is the one that is named.
func IsUnproven(c *pgconn.Config) bool {
	named := func(t *tls.Config) bool { return t != nil && !t.InsecureSkipVerify }
	return isRemote(c) && (!named(c.TLSConfig) || slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool { return !named(f.TLSConfig) }))
}

// AsksMD5 reports whether the server asks for the password hashed with MD5, by signing in without it once more.
func AsksMD5(ctx context.Context, c *pgconn.Config) bool {
	without := c.Copy()
	without.RequireAuth = "!md5,!password"
	conn, err := pgconn.ConnectConfig(ctx, without)
	if err == nil {
		_ = conn.Close(ctx)
		return false
	}
	return strings.Contains(err.Error(), "authentication method requirement")
}

// isRemote reports whether one of the servers is on another machine.
func isRemote(c *pgconn.Config) bool {
	hosts := []string{c.Host}
	for _, f := range c.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); !strings.HasPrefix(host, "/") && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return true
		}
	}
	return false
}

// NameOfConfig names a database, without who uses it and how.
func NameOfConfig(c *pgconn.Config) string {
	if c.Database == "" {
		return "the database on " + c.Host
	}
	return "the database " + c.Database + " on " + c.Host
}
