package postgres

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// What makes a server unfit for a worker, in one line each.
var (
	ErrPooler = errors.New("there is a pooler between this worker and the server: name the server itself, since what belongs to a connection gets lost there")
	ErrRoles  = errors.New("other workers use another user of the database: let all use the same one, since they end one another's connections")
)

// errReadsNow is the error of what was to be written where nothing is: which of both it is, the server does not say.
var errReadsNow = errors.New("the server or the database only reads: name the primary server, or see default_transaction_read_only of the database and of this user")

// fatal is the severity of an error with which the server ends the connection.
const fatal = "FATAL"

// worded is a known error in words that fit.
type worded struct {
	text string
	of   error
}

// Error tells it.
func (w *worded) Error() string { return w.text }

// Unwrap returns the known error.
func (w *worded) Unwrap() error { return w.of }

// explainUnreachable makes one line of an error of connecting, which says nothing of the settings.
func explainUnreachable(err error) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg
	}
	if untrusted, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("the server cannot prove who it is (see sslmode and sslrootcert of PostgreSQL): %w", untrusted)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Errorf("the server cannot be reached: %w", op)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("the server cannot be found: %w", dns)
	}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, known) {
			return fmt.Errorf("the server does not answer: %w", known)
		}
	}
	if strings.Contains(err.Error(), "server refused TLS") {
		return errors.New("the server has no encryption: set it up, or write sslmode=disable into the URL if nobody else is on the way to it")
	}
	if strings.Contains(err.Error(), "authentication method requirement") {
		return errors.New("the server asks for the password in clear, and has not proven who it is: write sslmode=verify-full into the URL, or require_auth=password if " +
			"nobody else is on the way to it")
	}
	if strings.Contains(err.Error(), "read only connection") { // of Line, which wants to write
		return errReadsNow
	}
	return &worded{"the server cannot be spoken to: " + lastLine(err.Error()), cutOff(err)}
}

// cutOff returns the error of a connection that has ended on its way, if that is what an error is; else nil.
func cutOff(err error) error {
	for _, known := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}

// lastLine returns what is said last, without what comes before it.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return strings.Trim(text[strings.LastIndexByte(text, ')')+1:], ": ")
}

// codeOf returns the server's code of an error; "" when it has none.
func codeOf(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}

// IsTold reports whether the server itself has told an error, so that the connection is still there.
func IsTold(err error) bool { return errors.As(err, new(*pgconn.PgError)) }

// ConstraintOf returns the name of the constraint, or the unique index, that an error is about; "" when it is about none.
func ConstraintOf(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.ConstraintName
	}
	return ""
}

// advices are what a person can do about errors of the server, by their codes or how these begin; see
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
var advices = []struct{ code, advice string }{
	// What belongs to a connection is another one's behind it.
	{"08P01", ErrPooler.Error()},
	{"26000", ErrPooler.Error()},
	{"42P05", ErrPooler.Error()},
	{"28", "the server does not take this user or password"},
	{"3D000", "there is no such database: make it with createdb, or name another one"},
	{"42501", "this user may not do that: use the one that the tables belong to, or that workers use, or make it the owner of the database"},
	{"42P01", "a table is missing: name the database of a bot, or put a copy of it back"},
	{"25006", errReadsNow.Error()},
	{"53100", "there is no room left: make room on the server's disk"},
	{"53300", "the server has no connection left: raise max_connections, or end others"},
	{"53", "the server has run out of something"},
	{"55P03", "somebody holds a lock in the database: end them"},
	{"57014", "the server has given up since it took too long"},
	{"57P0", "the server stops, or has ended the connection"},
	{"XX", "the database is damaged: put a copy of it back"},
}

// ExplainError adds to an error of the server what a person can do about it.
func ExplainError(err error) error {
	code := codeOf(err)
	if code == "" {
		return err
	}
	for _, a := range advices {
		if strings.HasPrefix(code, a.code) {
			return fmt.Errorf("%s: %w", a.advice, err)
		}
	}
	return err
}

// IsDataFault reports whether an error of a statement lies in what was to be stored, not in the server.
func IsDataFault(err error) bool {
	code := codeOf(err)
	return strings.HasPrefix(code, "22") || strings.HasPrefix(code, "23") || code == "54000"
}

// away are how codes of the server begin that go away by themselves: it cannot be spoken to, has no room, is locked, or begins anew.
var away = []string{"08", "40", "53", "55P03", "57014", "57P", "58"}

// IsTransient reports whether an error of a database is one that goes away by itself, as far as it tells: the server is away, or is too busy.
func IsTransient(err error) bool {
	if code := codeOf(err); code != "" {
		return slices.ContainsFunc(away, func(a string) bool { return strings.HasPrefix(code, a) })
	}
	if errors.As(err, new(*tls.CertificateVerificationError)) {
		return false
	}
	for _, known := range []error{context.DeadlineExceeded, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, new(*net.OpError)) || errors.As(err, new(*net.DNSError))
}

// lasting are the errors of opening a database that a person has to repair.
var lasting = []error{
	record.ErrLostCommits, record.ErrOtherServer, record.ErrNewer, record.ErrForeign, seal.ErrSealed, seal.ErrNoKey, remote.ErrKey, ErrPooler, ErrRoles, errURL, errURLFile, errHalf, errEncoding, errNoSchema, errNoTables,
}

// IsPermanent reports whether an error of a database stays as it is until a person does something: another key, another name or password, another
// version.
func IsPermanent(err error) bool {
	code := codeOf(err)
	for _, begins := range []string{"08P01", "26000", "28", "3D", "42501", "42P01", "42P05"} {
		if strings.HasPrefix(code, begins) {
			return true
		}
	}
	return slices.ContainsFunc(lasting, func(e error) bool { return errors.Is(err, e) }) || errors.As(err, new(*record.MovedError)) ||
		errors.As(err, new(*tls.CertificateVerificationError))
}
