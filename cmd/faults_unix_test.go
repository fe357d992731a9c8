//go:build unix

package cmd

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// shop is a platform with an account, and where a bot of it runs.
type shop struct {
	*emulator.Platform
	me  platform.UserID
	dir string
}

func newShop(t *testing.T) shop {
	t.Helper()
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return shop{p, me, settings(t, server.URL+"/mobile_api", "shop@social.example")}
}

func (s shop) file() string { return filepath.Join(s.dir, "nectar.db") }

// helpWanted lets so many people ask for help; each is somebody new.
func (s shop) helpWanted(group string, people int) {
	for i := range people {
		who := s.AddPerson(emulator.Person{Username: fmt.Sprint(group, i)})
		s.Say(who, s.me, "/help")
	}
}

// answered waits until everybody was answered, and fails when somebody was not, or twice.
func (s shop) answered(t *testing.T, since int64, bot *child.Process) {
	t.Helper()
	expect := judge.Expect{Account: s.me, Since: since, Replies: starterAnswers(s.Platform)}
	if err := judge.AwaitQuiet(t.Context(), s.Platform, expect, patience); err != nil {
		t.Error(err)
	}
	expect.Replies = starterAnswers(s.Platform)
	if v := judge.Platform(s.Platform, expect); !v.OK() {
		t.Errorf("%s\n%s\n%s", v, strings.Join(v.Details, "\n"), bot)
	}
}

// quietly counts the log's lines about the store.
func quietly(t *testing.T, p *child.Process) {
	t.Helper()
	for text, want := range map[string]int{"the store cannot write": 1, "the store writes again": 1, "level=ERROR": 1} {
		if n := strings.Count(p.String(), text); n != want {
			t.Errorf("the log says %q %d times:\n%s", text, n, p)
		}
	}
}

// The disk is full while people write: nothing leaves until there is room, then all of it, once.
func TestAFullDisk(t *testing.T) {
	s := newShop(t)
	bot := start(t, s.dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	since := s.Ledger().Len()
	s.helpWanted("early", 5)
	s.answered(t, since, bot)
	bot.Signal(diskFull)
	s.helpWanted("late", 5)
	bot.Await(t, "the store cannot write")
	sent := s.Calls("send_message")
	s.helpWanted("later", 5)
	if n := s.Calls("send_message") - sent; n > 0 {
		t.Errorf("%d messages left that are stored nowhere", n)
	}
	bot.Signal(diskFree)
	s.answered(t, since, bot)
	bot.Stop()
	quietly(t, bot)
}

// lock takes the write lock of a database, as another program does; unlock gives it back.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "ROLLBACK")
		if err := errors.Join(err, conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Another program holds the database locked: the bot waits for it, and says so when that takes long.
func TestALockedDatabase(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := newShop(t)
	bot := start(t, s.dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	since := s.Ledger().Len()
	unlock := lock(t, s.file())
	s.helpWanted("guest", 5)
	bot.Await(t, "another program holds the database locked: end it")
	if n := s.Calls("send_message"); n > 0 {
		t.Errorf("%d messages left that are stored nowhere", n)
	}
	unlock()
	s.answered(t, since, bot)
	bot.Stop()
	quietly(t, bot)
}

// damage fills a database with rubbish from its second page on.
func damage(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Clean(path), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.WriteAt(bytes.Repeat([]byte("rubbish "), int(info.Size()-4096)/8), 4096)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// A damaged database is one clear line at the start. A bot on which it happens while it runs says so, and
// nothing leaves that is not decided and stored.
func TestADamagedDatabase(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := newShop(t)
	bot := start(t, s.dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	since := s.Ledger().Len()
	s.helpWanted("early", 5)
	s.answered(t, since, bot)
	bot.Stop()

	again := start(t, s.dir, "run", "--starter")
	again.Await(t, "the bot is at work")
	damage(t, s.file())
	s.helpWanted("late", 300)
	again.Await(t, "the database is damaged")
	again.Signal(syscall.SIGTERM)
	again.End()
	expect := judge.Expect{Account: s.me, Since: since, Replies: starterAnswers(s.Platform)}
	if v := judge.Platform(s.Platform, expect); v.Doubled+v.OutOfOrder > 0 {
		t.Errorf("%s\n%s\n%s", v, strings.Join(v.Details, "\n"), again)
	}

	last := start(t, s.dir, "run", "--starter")
	const want = "nectar: NECTAR_STORE: open nectar.db: the database is damaged: put a copy of it back, or move it away to start anew: "
	if status := last.End(); status != 1 || !strings.HasPrefix(last.String(), want) || strings.Count(last.String(), "\n") != 1 {
		t.Errorf("status %d:\n%s", status, last)
	}
}

// The machine goes to sleep in the middle of everything, again and again.
func TestAMachineThatSleeps(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	s := newShop(t)
	bot := start(t, s.dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	since := s.Ledger().Len()
	for night := range 3 {
		s.helpWanted(fmt.Sprintf("evening%d", night), 20)
		seen := s.Ledger().Len()
		if err := s.Ledger().Wait(soon(t), seen+int64(5*night)); err != nil { // some have been answered
			t.Fatal(err)
		}
		bot.Signal(syscall.SIGSTOP)
		s.helpWanted(fmt.Sprintf("night%d", night), 5)
		if err := judge.AwaitQuiet(t.Context(), s.Platform, judge.Expect{Account: s.me, Since: since, Replies: starterAnswers(s.Platform)}, time.Second); err != nil {
			t.Fatal(err)
		}
		bot.Signal(syscall.SIGCONT)
	}
	s.answered(t, since, bot)
	bot.Stop()
}
