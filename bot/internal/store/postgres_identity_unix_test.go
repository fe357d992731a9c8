//go:build unix

package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/internal/board"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// serverSaid is on which server a database says that it lives.
type serverSaid struct {
	System   string `json:"system"`
	Timeline string `json:"timeline"`
	Waits    bool   `json:"waits"`
}

// homeOf returns on which server the database at a URL says that it lives.
func homeOf(t *testing.T, url string) (h serverSaid) {
	t.Helper()
	text := sqlOn(t, url, `SELECT value FROM meta WHERE key = 'server'`)[0][0].(string)
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatal(err)
	}
	return h
}

// wasOn lets the database say that it has lived on a server.
func wasOn(t *testing.T, url string, h serverSaid) {
	t.Helper()
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	sqlOn(t, url, `UPDATE meta SET value = '`+string(text)+`' WHERE key = 'server'`)
}

// TestHome: a database knows on which server it lives. On another timeline, for which no commit waited, it has gone back; one on another server is not
// opened until somebody has said what it is.
func TestHome(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	open := func() *store.Database { return openServer(t, store.Options{Path: url, Key: "key"}).(*store.Database) }
	begins := func(want record.CarefulSign) {
		t.Helper()
		st := open()
		if back, _ := st.LastRestored(); back.Sign != want {
			t.Errorf("it has gone back: %+v, want %q", back, want)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
	begins("")
	here := homeOf(t, url)
	if len(here.System) < 18 || len(here.Timeline) != 8 || here.Waits {
		t.Errorf("it lives on %+v", here)
	}
	before := here
	before.Timeline, before.Waits = "00000009", true
	wasOn(t, url, before)
	begins("")
	before.Waits = false
	wasOn(t, url, before)
	begins(record.CarefulFailover)
	begins(record.CarefulFailover) // once
	if now := homeOf(t, url); now != here {
		t.Errorf("it lives on %+v", now)
	}

	for _, sign := range []record.CarefulSign{record.CarefulSaid, record.CarefulNothing} {
		before.System = "7000000000000000000"
		wasOn(t, url, before)
		doesNotOpen(t, url, "key", record.ErrOtherServer, "say nectar restored")
		inspector := openServerInspector(t, url)
		j, err := inspector.Judgement(t.Context())
		if err != nil || len(j.Process) != 1 || j.Process[0].Why.Code() != record.TroubleElsewhere {
			t.Errorf("how it stands: %+v, %v", j, err)
		}
		accepted := openServer(t, store.Options{Path: url, Key: "key", Restored: &record.Restored{At: time.Now(), Sign: sign, By: "ines"}})
		if err := accepted.Close(); err != nil {
			t.Error(err)
		}
		begins(sign)
	}
}

// TestHomeOfSeveral: of several that find another timeline at once one says so.
func TestHomeOfSeveral(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	if err := openServer(t, store.Options{Path: url, Key: "key"}).Close(); err != nil {
		t.Error(err)
	}
	before := homeOf(t, url)
	before.Timeline = "00000009"
	wasOn(t, url, before)
	db, err := store.OpenPostgresDB(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(8)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := board.CheckServer(t.Context(), db, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	first := sqlOn(t, url, `SELECT value FROM meta WHERE key = 'restored'`)
	if err := board.CheckServer(t.Context(), db, nil); err != nil || len(first) != 1 {
		t.Error(first, err)
	}
	if now := sqlOn(t, url, `SELECT value FROM meta WHERE key = 'restored'`); fmt.Sprint(now) != fmt.Sprint(first) {
		t.Errorf("it has gone back again: %v, and before %v", now, first)
	}
}

// TestAnotherHome: a store under which the database comes to another server ends: nothing is stored there any more.
func TestAnotherHome(t *testing.T) {
	t.Parallel()
	url := pgServer(t).schema(t)
	w, _ := pgWorld(t, url)
	w.must(turnOf(message(7, 1)))
	if err := w.CheckServer(t.Context()); err != nil {
		t.Error(err)
	}
	before := homeOf(t, url)
	before.System = "7000000000000000000"
	wasOn(t, url, before)
	if err := w.CheckServer(t.Context()); !errors.Is(err, record.ErrOtherServer) {
		t.Errorf("it is found to be %v", err)
	}
	<-w.Done()
	refuses(t, w, url, record.ErrOtherServer)
	if !errors.Is(w.Err(), record.ErrOtherServer) {
		t.Errorf("it has ended with %v", w.Err())
	}
}

// TestHomeThatIsNotTold: a server that does not tell this user which one it is, as some that others look after, is one like any other. So is one that is a
// standby at the moment, for those that only look.
func TestHomeThatIsNotTold(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := ownServer(t)
	s.sql(t, `CREATE ROLE guest LOGIN`)
	s.sql(t, `CREATE SCHEMA guest AUTHORIZATION guest`)
	url := strings.Replace(s.URL("&search_path=guest"), "bot@", "guest@", 1)
	opens := func() {
		t.Helper()
		st := openServer(t, store.Options{Path: url, Key: "key"})
		if _, is := st.LastRestored(); is {
			t.Error("it has gone back")
		}
		if err := errors.Join(st.CheckServer(t.Context()), st.Close()); err != nil {
			t.Error(err)
		}
	}
	untold := func(want string) {
		t.Helper()
		if s, err := board.ServerOf(t.Context(), url); !strings.Contains(s.Untold, want) || (s.Untold == "") != (want == "") || err != nil {
			t.Errorf("it does not tell because of %q, %v, want %q", s.Untold, err, want)
		}
	}
	opens()
	untold("")
	before := homeOf(t, url)
	for _, function := range []string{"pg_control_system()", "pg_walfile_name(pg_lsn)", "pg_current_wal_lsn()"} {
		s.sql(t, `REVOKE EXECUTE ON FUNCTION `+function+` FROM PUBLIC`)
		for _, other := range []serverSaid{{"7000000000000000000", before.Timeline, false}, {before.System, "00000009", false}} {
			wasOn(t, url, other)
			opens()
		}
		untold("permission denied for function " + function[:strings.IndexByte(function, '(')])
		s.sql(t, `GRANT EXECUTE ON FUNCTION `+function+` TO PUBLIC`)
	}
	wasOn(t, url, before)
	standby, err := s.Standby()
	if err != nil {
		t.Fatal(err)
	}
	defer standby.Stop()
	url = strings.Replace(standby.URL("&search_path=guest"), "bot@", "guest@", 1)
	untold("recovery is in progress")
	if err := standby.End(syscall.SIGINT); err != nil {
		t.Error(err)
	}
}
