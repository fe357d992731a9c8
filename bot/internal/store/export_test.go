package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// OldSession returns a session as it was sealed before there were keys.
func OldSession(tb testing.TB, key platform.Secret, account event.Account, k session.Kept) []byte {
	tb.Helper()
	text, err := json.Marshal(keptSession{
		SessionID: k.SessionID.Reveal(), Refresh: k.RefreshToken.Reveal(), Expiry: k.Expiry,
		User: k.User, Username: k.Username, Obtained: k.Obtained, Identity: k.Identity,
	})
	if err != nil {
		tb.Fatal(err)
	}
	sealing, err := hkdf.Key(sha256.New, []byte(key.Reveal()), nil, "nectar session", 32)
	if err != nil {
		tb.Fatal(err)
	}
	block, err := aes.NewCipher(sealing)
	if err != nil {
		tb.Fatal(err)
	}
	sealed, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		tb.Fatal(err)
	}
	return sealed.Seal([]byte{1}, nil, text, []byte(account))
}

// Leaping returns the statements that find the accounts of an index.
func Leaping() []string {
	return []string{leapAccounts, leapActions, leapDue, leapTimers, leapOwned, leapEntries, leapIgnored}
}

// AboveResult returns the statements that read messages above one that is given as $3.
func AboveResult() []string { return []string{selectSent, selectAbove} }

// Pragma changes a setting of the connection that writes.
func (s *Database) Pragma(text string) error {
	done := make(chan error, 1)
	s.Commit(Write{Done: func(Receipt) {
		done <- s.writes.conn.Exec("PRAGMA " + text)
	}})
	return <-done
}

// Around lets the commits of an inspector, and its looks whether one is stored, go through f; see Options.
func (in *Inspector) Around(f func(commit func() error) error) { in.around = f }

// SealedColumns returns the columns whose values are sealed.
func SealedColumns() (all []string) {
	for i := range seal.Tables {
		for _, v := range seal.Tables[i].Values {
			all = append(all, seal.Tables[i].Name+"."+v)
		}
	}
	return all
}

// handleOf returns what the package that speaks to the database keeps for itself.
func handleOf(c *sqlite.Conn) (tls *libc.TLS, db uintptr) {
	v := reflect.ValueOf(c.DB).Elem()
	return (*libc.TLS)(v.FieldByName("tls").UnsafePointer()), uintptr(v.FieldByName("conn").Uint())
}

// Replanned returns the statements of the writer that SQLite has planned anew, since it looks at the values of theirs.
func (s *Database) Replanned() (texts []string) {
	done := make(chan struct{})
	s.Commit(Write{Done: func(Receipt) {
		defer close(done)
		tls, _ := handleOf(s.writes.conn)
		for _, st := range s.writes.all() {
			if strings.HasPrefix(st.text, "PRAGMA") { // it is always
				continue
			}
			handle := reflect.ValueOf(st.ofFile().Handle()).Elem().FieldByName("stmt").Uint()
			if sqlite3.Xsqlite3_stmt_status(tls, uintptr(handle), sqlite3.SQLITE_STMTSTATUS_REPREPARE, 0) > 1 { // once: the schema
				texts = append(texts, st.text)
			}
		}
	}})
	<-done
	return texts
}

// OpenPostgresDB opens connections to the database at a URL.
func OpenPostgresDB(url string) (*sql.DB, error) {
	config, err := postgres.ParseURL(url)
	if err != nil {
		return nil, err
	}
	return postgres.OpenDB(config, 1), nil
}

// SettingsOfURL returns who a server has to prove to be, "" for anybody, and the bounds of what it does.
func SettingsOfURL(url string) (server string, bounds map[string]string, err error) {
	c, err := postgres.ParseURL(url)
	if err != nil {
		return "", nil, err
	}
	if c.TLSConfig != nil && !c.TLSConfig.InsecureSkipVerify && len(c.Fallbacks) < 2 {
		server = c.TLSConfig.ServerName
	}
	return server, c.RuntimeParams, nil
}
