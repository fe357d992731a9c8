//go:build unix

package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/move"
	"github.com/nectar-bot/nectar/bot/internal/seal"
	"github.com/nectar-bot/nectar/bot/record"
)

// refuses checks that a move is refused, and why.
func (h home) refuses(want string, o record.MoveOptions, from ...home) {
	h.Helper()
	_ = h.refusal(want, o, from...) // it is checked
}

// refusal is the same, and returns the error.
func (h home) refusal(want string, o record.MoveOptions, from ...home) error {
	h.Helper()
	_, err := h.tries(o, from...)
	if err == nil || !strings.Contains(err.Error(), want) {
		h.Errorf("it is not refused since %q: %v", want, err)
	}
	return err
}

// one is a life of an account with a message and its answer.
func one(account event.Account, number int64) func(w *world) {
	return func(w *world) {
		w.Helper()
		e := message(7, number)
		e.Account = account
		turn := says(turnOf(e), "reply")
		turn.Actions[0].Account = account
		w.must(turn)
	}
}

// TestMoveIsRefused: what cannot be moved is told in one line, and nothing has changed.
func TestMoveIsRefused(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	file, server := newHome(t, "key"), newServerHome(t)
	file.incarnations(one(ana, 1))
	was := file.contents()
	for name, f := range map[string]func(){
		"into itself": func() { file.refuses("it would be moved into itself", record.MoveOptions{}, file) },
		"itself by another name": func() {
			link := home{t, filepath.Join(t.TempDir(), "link.db"), "key"}
			if err := os.Symlink(file.path, link.path); err != nil {
				t.Fatal(err)
			}
			link.refuses("it would be moved into itself", record.MoveOptions{}, file)
			server.refuses("it is named twice", record.MoveOptions{}, file, link)
		},
		"what is not there": func() {
			server.refuses("there is none yet", record.MoveOptions{}, newHome(t, ""))
			newHome(t, "key").refuses("there is none yet", record.MoveOptions{}, home{t, pgServer(t).bare(t), "key"})
		},
		"nothing": func() {
			empty := newHome(t, "")
			empty.incarnations(func(*world) {})
			server.refuses("there is no account in it", record.MoveOptions{}, empty)
		},
		"another program's": func() {
			other := newHome(t, "")
			change(t, other.path, "CREATE TABLE x (x)")
			server.refuses(record.ErrForeign.Error(), record.MoveOptions{}, other)
		},
		"a newer one's": func() {
			newer := newHome(t, "")
			newer.incarnations(one(ana, 1))
			change(t, newer.path, "INSERT INTO schema_version (version_id, is_applied) VALUES (900, 1)")
			server.refuses(record.ErrNewer.Error(), record.MoveOptions{}, newer)
		},
		"with another key": func() {
			if err := server.refusal("encrypted with another NECTAR_SECRET_KEY", record.MoveOptions{Key: "other"}, file); !errors.Is(err, seal.ErrSealed) {
				t.Error(err)
			}
		},
		"an account that is not there": func() {
			server.refuses("account berk is in none", record.MoveOptions{Accounts: []event.Account{ana, berk}}, file)
		},
		"while a bot runs": func() {
			file.incarnations(func(*world) {
				if err := server.refusal(record.ErrInUse.Error(), record.MoveOptions{}, file); !errors.Is(err, record.ErrInUse) {
					t.Error(err)
				}
			})
			server.incarnations(func(*world) { server.refuses(record.ErrInUse.Error(), record.MoveOptions{}, file) })
		},
	} {
		f()
		if d := cmp.Diff(was, file.contents()); d != "" {
			t.Fatalf("%s: what is there (-was +is):\n%s", name, d)
		}
		if !file.has(ana) {
			t.Fatalf("%s: it does not live any more", name)
		}
	}
	if _, err := move.Move(t.Context(), record.MoveOptions{From: []string{file.path}, To: server.path}); err == nil || !strings.Contains(err.Error(), "NECTAR_SECRET_KEY is not set") {
		t.Errorf("without a key: %v", err)
	}
}

// TestMoveOfPresentAccounts: nobody can tell which of two memories of an account is the right one.
func TestMoveOfPresentAccounts(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	first, second, server := newHome(t, ""), newHome(t, ""), newServerHome(t)
	first.incarnations(one(ana, 1))
	second.incarnations(func(w *world) { one(ana, 2)(w); one(berk, 3)(w) })
	err := server.refusal("the account ana is in "+first.path+" and in "+second.path, record.MoveOptions{}, first, second)
	if present, ok := errors.AsType[*move.PresentError](err); !ok || !slices.Equal(present.Accounts, []event.Account{ana}) {
		t.Error(err)
	}
	server.moves(first)
	server.refuses("the account ana is in the database postgres on ", record.MoveOptions{}, second)
	if m, err := server.tries(record.MoveOptions{Accounts: []event.Account{berk}}, second); err != nil || m.Rows() == 0 || m.From[0].Whole {
		t.Errorf("%+v, %v", m, err)
	}
	if !server.has(ana) || !server.has(berk) || !second.has(ana) || second.has(berk) {
		t.Error("an account is not where it was to be")
	}
	second.incarnations(func(w *world) {
		_, err := w.Keeper(berk).LoadSession(t.Context())
		if moved, ok := errors.AsType[*record.MovedError](err); !ok || moved.Account != berk {
			t.Errorf("it can sign in where it was: %v", err)
		}
	})
	// What is left there now is the rest of another incarnation of ana.
	if again, err := server.tries(record.MoveOptions{}, first); err != nil || !again.From[0].Before {
		t.Errorf("the same once more: %+v, %v", again, err)
	}
	newHome(t, "key").refuses("it was moved to the database postgres on ", record.MoveOptions{}, first)
}

// TestMoveIsCalledOff: what has come with a move that was interrupted can be taken away, and the account lives where it was.
func TestMoveIsCalledOff(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	file, other, server := newHome(t, ""), newHome(t, ""), newServerHome(t)
	file.incarnations(one(ana, 1))
	other.incarnations(one(ana, 2))
	server.incarnations(one(berk, 3))
	was := server.contents()
	k := &deathAt{at: 3}
	if _, err := server.tries(record.MoveOptions{Step: 1, Around: k.around}, file); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	server.fails("what was to be moved into it from " + file.path + " has not arrived as a whole (account ana)")
	server.refuses("from "+file.path+" has not arrived as a whole", record.MoveOptions{}, other)
	newHome(t, "key").refuses("has not arrived as a whole", record.MoveOptions{}, server)
	accounts, err := move.CancelMove(t.Context(), server.path, "key")
	if err != nil || !slices.Equal(accounts, []event.Account{ana}) {
		t.Errorf("%v, %v", accounts, err)
	}
	if d := cmp.Diff(was, server.contents()); d != "" {
		t.Errorf("(-was +is):\n%s", d)
	}
	if !server.has(berk) || !file.has(ana) {
		t.Error("somebody does not live any more")
	}
	server.moves(other)
	// From the moment on at which the account may have left, there is only one way.
	third := newHome(t, "key")
	made := 0
	_, err = third.tries(record.MoveOptions{Around: func(commit func() error) error {
		if made++; made == 7 {
			return errKilled // it has left, and does not live there yet
		}
		return commit()
	}}, server)
	if !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if server.has(ana) || third.has(ana) || !errorSays(third, "all of it has arrived") {
		t.Error("it can be called off, or lives somewhere")
	}
	third.moves(server)
}

// errorSays tells why a move cannot be called off.
func errorSays(h home, want string) bool {
	_, err := move.CancelMove(h.Context(), h.path, h.key)
	return err != nil && strings.Contains(err.Error(), want)
}
