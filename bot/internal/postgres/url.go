package postgres

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// IsURL reports whether a text is the URL of a database of PostgreSQL, as far as its beginning tells.
func IsURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// The bounds of what the server does for a connection, in milliseconds, unless the URL has others.
var serverBounds = map[string]string{
	"statement_timeout":                   "10000",
	"lock_timeout":                        "2000",
	"idle_in_transaction_session_timeout": "5000",
}

var errURL = errors.New("it is no URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE (a password with signs such as / or @ has to be percent-encoded)")

var errURLFile = errors.New("it names a file that cannot be read: see its sslrootcert, sslcert or sslkey")

// ParseURL reads the URL of a database, without a word of what stands in it when it is none. Without sslmode, and unless the
// server is on this machine, the connection is encrypted, and the server has to prove who it is.
func ParseURL(text string) (*pgconn.Config, error) {
	where, err := url.Parse(text)
	if err != nil || !IsURL(text) {
		return nil, errURL // what is wrong with it would show a part of it
	}
	c, err := pgconn.ParseConfig(text)
	if err == nil && isRemote(c) && !where.Query().Has("sslmode") && os.Getenv("PGSSLMODE") == "" {
		values := where.Query()
		values.Set("sslmode", "verify-full") //mutate:verify-full
		where.RawQuery = values.Encode()
		c, err = pgconn.ParseConfig(where.String())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, errURLFile
	case err != nil:
		return nil, errURL
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
	if !where.Query().Has("connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		c.ConnectTimeout = 5 * time.Second
	}
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}
	c.DialFunc = dialer.DialContext
	return c, nil
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
	return "the database " + c.Database + " on " + c.Host
}

// NameOf names the database at a path, or at a URL, without who uses it and how: for people, and for logs.
func NameOf(path string) string {
	if !IsURL(path) {
		return path
	}
	c, err := ParseURL(path)
	if err != nil {
		return "the database" // nothing in it can be trusted not to be a password
	}
	return NameOfConfig(c)
}

// CheckURL tells in one line what is wrong with the URL of a database, without a word of it.
func CheckURL(text string) error {
	_, err := ParseURL(text)
	return err
}
