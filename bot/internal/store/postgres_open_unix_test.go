//go:build unix

package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/rekey"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
)

// doesNotOpen checks that a database is refused with one line, which says what to do, and nothing of a password.
func doesNotOpen(t *testing.T, url string, key platform.Secret, is error, want string) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: url, Key: key})
	if err == nil {
		_ = s.Close()
		t.Fatalf("it opens, and the error was to be %q", want)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("the error is %v, and was to be %v", err, is)
	}
	oneLine(t, err, want)
}

func oneLine(t *testing.T, err error, want string) {
	t.Helper()
	for e := err; e != nil; e = errors.Unwrap(e) {
		if text := e.Error(); strings.Contains(text, "geheim") || strings.Contains(text, "\n") {
			t.Errorf("the error is %q", text)
		}
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %q, and %q was to be in it", err, want)
	}
}

func TestServersThatDoNotOpen(t *testing.T) {
	t.Parallel()
	s := pgServer(t)
	with := func(change ...string) func(t *testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			url := s.bare(t)
			for _, c := range change {
				if c == "open" {
					sealAll(t, url)
				} else {
					sqlOn(t, url, c)
				}
			}
			return url
		}
	}
	s.sql(t, `DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
	s.sql(t, `SELECT pg_advisory_lock(1)`)
	asReader := func(url string) string { return strings.Replace(url, "bot@", "guest@", 1) }
	for name, c := range map[string]struct {
		url  func(t *testing.T) string
		key  platform.Secret
		is   error
		want string
	}{
		"without a key":          {with(), "", nil, "set NECTAR_SECRET_KEY"},
		"with another key":       {with("open"), "another", seal.ErrSealed, "another NECTAR_SECRET_KEY"},
		"of another program":     {with(`CREATE TABLE customers (id int)`), "key", record.ErrForeign, "name another database"},
		"with a meta of theirs":  {with(`CREATE TABLE meta (id int)`), "key", record.ErrForeign, "name another database"},
		"of a newer version":     {with("open", `INSERT INTO schema_version (version_id, is_applied) VALUES (999, true)`), "key", record.ErrNewer, "run that version"},
		"without its versions":   {with("open", `DROP TABLE schema_version`), "key", nil, "put a whole copy back"},
		"half of which is there": {with("open", `DELETE FROM schema_version WHERE version_id > 0`), "key", nil, "put a whole copy back"},
		"without a table":        {with("open", `DROP TABLE fence`), "key", nil, "put a copy of it back"},
		"without a schema":       {func(*testing.T) string { return s.URL("&search_path=nowhere") }, "key", nil, "CREATE SCHEMA"},
		"that is not there": {func(*testing.T) string {
			return strings.Replace(s.URL(""), "/postgres?", "/nowhere?", 1)
		}, "key", nil, "createdb"},
		"without rights": {func(t *testing.T) string {
			t.Helper()
			url := s.bare(t)
			sqlOn(t, url, `DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO guest'; END $$`)
			return asReader(url)
		}, "key", nil, "make it the owner"},
		"whose tables are somebody else's": {func(t *testing.T) string {
			t.Helper()
			url := with("open")(t)
			sqlOn(t, url, `DO $$ BEGIN EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO guest'; END $$`)
			return asReader(url)
		}, "key", nil, "make it the owner"},
		"on a server that is not there": {func(t *testing.T) string {
			t.Helper()
			return "postgres://bot:geheim@/postgres?host=" + t.TempDir()
		}, "key", nil, "cannot be reached"},
		"with an unknown user": {func(*testing.T) string {
			return strings.Replace(s.URL("&password=geheim"), "bot@", "nobody:geheim@", 1)
		}, "key", nil, "does not take this user"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			url := c.url(t)
			doesNotOpen(t, url, c.key, c.is, c.want)
			if c.is != seal.ErrSealed { //nolint:errorlint // it stands in the table
				return
			}
			forgets, err := store.Open(t.Context(), store.Options{Path: url, Key: c.key, ForgetSealed: true})
			if err == nil {
				err = forgets.Close()
			}
			if err != nil {
				t.Errorf("without what is encrypted: %v", err)
			}
		})
	}
}

// TestURLs: what is no URL is refused without a word of it.
func TestURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "mysql://bot:geheim@host/db", "postgres://bot:geheim%zz@host/db", "postgres://bot:ge/heim:geheim@host:1:2/db",
		"postgres://bot:geheim@host:99999999/db", "host=x password=geheim", "postgres://bot:geheim@host/db?sslmode=geheim",
		"postgres://bot:geheim@host/db?connect_timeout=geheim", "postgres://bot:geheim#@host/db",
	} {
		err := remote.CheckURL(url)
		if err == nil {
			t.Errorf("%s is a URL", url)
			continue
		}
		oneLine(t, err, map[bool]string{false: "it is no URL", true: "its sslmode is none of"}[strings.Contains(url, "sslmode")])
		if !remote.IsURL(url) {
			continue
		}
		if _, err := store.Open(t.Context(), store.Options{Path: url, Key: "key"}); err == nil {
			t.Errorf("%s opens", url)
		} else {
			oneLine(t, err, "open the database")
		}
		if name := remote.NameOf(url); name != "the database" {
			t.Errorf("%s is called %s", url, name)
		}
	}
}

// TestEncryptedUnlessSaidOtherwise: a server elsewhere has to prove who it is.
func TestEncryptedUnlessSaidOtherwise(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://bot:geheim@db.example/nectar":                       "db.example",
		"postgres://bot:geheim@10.0.0.1:5433/nectar":                    "10.0.0.1",
		"postgres://bot:geheim@localhost,db.example/nectar":             "localhost",
		"postgres://bot:geheim@db.example/nectar?sslmode=disable":       "",
		"postgres://bot:geheim@localhost/nectar?sslmode=disable":        "",
		"postgres://bot:geheim@/nectar?host=/run/postgresql":            "",
		"postgresql://bot:geheim@db.example/nectar?sslmode=verify-full": "db.example",
	} {
		got, bounds, err := store.SettingsOfURL(url)
		if err != nil || got != want {
			t.Errorf("%s: the server has to be %q, %v; want %q", url, got, err, want)
		}
		if bounds["statement_timeout"] != "10000" || bounds["lock_timeout"] != "2000" || bounds["idle_in_transaction_session_timeout"] != "5000" {
			t.Errorf("the bounds are %v", bounds)
		}
	}
}

// TestStandby: a server that only reads is no place for a bot.
func TestStandby(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := ownServer(t)
	url := s.schema(t)
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Data(), "standby.signal"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	doesNotOpen(t, url, "key", nil, "it is a standby, which only reads: name the primary one")
}

// TestSealedOnAServer: nothing that people said stands in a table as they said it.
func TestSealedOnAServer(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	url := pgServer(t).schema(t)
	w, _ := pgWorld(t, url)
	e := message(7, 1)
	e.Text = "what she said"
	turn := says(named(turnOf(e), 1, "one"), "what she said, answered")
	turn.Facts = []event.Fact{{Name: "fact", Value: raw(`"what she said"`), ReadAt: noon}}
	turn.Record.Note = "what she said was understood"
	w.must(turn)
	asked := asking(ana, 7, event.WishTell)
	asked.Text = "what she said"
	w.ask(asked)
	sealed := regexp.MustCompile("what she said")
	for _, row := range sqlOn(t, url, `SELECT quote_ident(table_name), quote_ident(column_name) FROM information_schema.columns
		WHERE table_schema = current_schema() AND data_type IN ('bytea', 'text')`) {
		for _, value := range sqlOn(t, url, "SELECT "+row[1].(string)+" FROM "+row[0].(string)) {
			switch v := value[0].(type) {
			case string:
				if sealed.MatchString(v) {
					t.Errorf("%v.%v has %q", row[0], row[1], v)
				}
			case []byte:
				// T{} says nothing, and a box begins with anything.
				if sealed.Match(v) || bytes.HasPrefix(v, []byte("T")) && string(v) != "T{}" && row[0] != "seal_key" {
					t.Errorf("%v.%v has %q", row[0], row[1], v)
				}
			}
		}
	}
	events, err := w.RecentEvents(w.Context(), e.Key(), 1)
	if err != nil || len(events) != 1 || events[0].Text != e.Text {
		t.Errorf("read back is %+v, %v", events, err)
	}
}

// TestSettingsOfAServer: what a server does not keep is seen.
func TestSettingsOfAServer(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	for parameters, waits := range map[string]bool{"": true, "&synchronous_commit=off": false, "&synchronous_commit=local": true} {
		got, err := board.ServerOf(t.Context(), url+parameters)
		if want := (record.Server{Waits: waits}); err != nil || got != want { // the tests have the others off
			t.Errorf("%s: %+v, %v", parameters, got, err)
		}
	}
	if _, err := board.ServerOf(t.Context(), "postgres://bot:geheim@/postgres?host="+t.TempDir()); err == nil {
		t.Error("a server that is not there has settings")
	} else {
		oneLine(t, err, "cannot be reached")
	}
}

// TestForFilesOnly: what is about a file is refused for a server, and makes none.
func TestForFilesOnly(t *testing.T) {
	t.Parallel()
	const url = "postgres://bot:geheim@db.example/nectar"
	for _, err := range []error{store.Compact(t.Context(), url), rekey.ChangeKey(t.Context(), url, "key", "another")} {
		if !errors.Is(err, record.ErrFilesOnly) {
			t.Fatal(err)
		}
		oneLine(t, err, "the database nectar on db.example: not for PostgreSQL")
	}
}

// TestPasswordsAsMD5: a server that asks for passwords in a form by which whoever reads its tables may sign in is told apart.
func TestPasswordsAsMD5(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := ownServer(t)
	hba := filepath.Join(s.Data(), "pg_hba.conf")
	for _, form := range []string{"md5", "scram-sha-256"} {
		if err := s.Exec(t.Context(), "SET password_encryption = '"+form+"'; DROP ROLE IF EXISTS mia; CREATE ROLE mia LOGIN PASSWORD 'geheim'"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(hba, []byte("local all bot trust\nlocal all mia "+form+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Kill(), s.Start()); err != nil {
			t.Fatal(err)
		}
		got, err := board.ServerOf(t.Context(), strings.Replace(s.URL(""), "bot@", "mia:geheim@", 1))
		if err != nil || got.MD5 != (form == "md5") {
			t.Errorf("%s: %+v, %v", form, got, err)
		}
	}
}
