//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

var errKilled = errors.New("killed")

// deathAt lets a move die with one of its commits: before it is made, or right after.
type deathAt struct {
	at    int
	after bool
	made  int
}

func (k *deathAt) around(commit func() error) error {
	k.made++
	switch {
	case k.made > k.at, k.made == k.at && !k.after:
		return errKilled
	case k.made == k.at:
		return errors.Join(commit(), errKilled)
	}
	return commit()
}

// has reports whether a bot that is started here would run an account that has lived.
func (h home) has(account event.Account) bool {
	h.Helper()
	s, err := store.Open(h.Context(), store.Options{Path: h.path, Key: h.key, Fast: true})
	for errors.Is(err, record.ErrInUse) && h.Context().Err() == nil { // the server is about to notice that a connection is gone
		s, err = store.Open(h.Context(), store.Options{Path: h.path, Key: h.key, Fast: true})
	}
	if err != nil {
		return false
	}
	away := s.CheckAway(account) != nil
	if err := s.Close(); err != nil {
		h.Error(err)
	}
	return !away && slices.ContainsFunc(h.contents()["event"], func(row string) bool { return strings.Contains(row, fmt.Sprintf("%q", account)) })
}

// again tries once more what was interrupted.
func (h home) again(o record.MoveOptions, from home) error {
	h.Helper()
	_, err := h.tries(o, from)
	for errors.Is(err, record.ErrInUse) && h.Context().Err() == nil {
		_, err = h.tries(o, from)
	}
	return err
}

// TestMoveIsInterrupted: wherever a move dies, the account lives in at most one of the databases, and never in a part; and
// the next try brings it to its end.
func TestMoveIsInterrupted(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	file := newHome(t, "key")
	file.incarnations(fullHistory)
	was := file.contents()
	copied := func(t *testing.T) home {
		t.Helper()
		h := newHome(t, "key")
		if err := copyFile(file.path, h.path); err != nil {
			t.Fatal(err)
		}
		return h
	}
	for _, way := range []struct {
		name     string
		accounts []event.Account
		make     func(file, server home) (from, to home)
	}{
		{"there", nil, func(file, server home) (home, home) { return file, server }},
		{"one of two", []event.Account{ana}, func(file, server home) (home, home) { return file, server }},
		{"back", nil, func(file, server home) (home, home) { server.moves(file); return server, file }},
	} {
		t.Run(way.name, func(t *testing.T) {
			effort.Case(t)
			if effort.Few() && way.name != "there" {
				return // they take seconds
			}
			empty := newServerHome(t)
			for at := 1; ; at++ {
				done := false
				for _, after := range []bool{false, true} {
					from, to := way.make(copied(t), empty.emptied())
					k := &deathAt{at: at, after: after}
					o := record.MoveOptions{Accounts: way.accounts, Step: 25, Around: k.around}
					if err := to.again(o, from); err == nil {
						done = true
					} else if !errors.Is(err, errKilled) {
						t.Fatalf("commit %d: %v", at, err)
					}
					isThere := to.has(ana)
					if from.has(ana) && isThere {
						t.Errorf("commit %d, %v: the account lives in both", at, after)
					}
					o.Around = nil
					if err := to.again(o, from); err != nil {
						t.Fatalf("commit %d, %v: and once more: %v", at, after, err)
					}
					if from.has(ana) || !to.has(ana) {
						t.Errorf("commit %d, %v: it does not live there in the end", at, after)
					}
					want := was
					if way.accounts != nil {
						want = partOf(ana, was)
					}
					if d := cmp.Diff(want, to.contents()); d != "" {
						t.Fatalf("commit %d, %v (-was +is):\n%s", at, after, d)
					}
					if way.accounts != nil {
						if d := cmp.Diff(without(ana, was), from.contents()); d != "" {
							t.Fatalf("commit %d, %v: what stays (-was +is):\n%s", at, after, d)
						}
					}
				}
				if done {
					if at < 8 {
						t.Errorf("there were %d commits", at)
					}
					return
				}
			}
		})
	}
}

// partOf returns what of contents is an account's, or goes with it.
func partOf(account event.Account, contents map[string][]string) map[string][]string {
	return only(contents, func(table, row string) bool {
		return table == "address" || table == "rules_version" && strings.Contains(row, "abc") || strings.Contains(row, fmt.Sprintf(" %q", account)) || strings.HasPrefix(row, fmt.Sprintf("[%q", account))
	})
}

// without returns what stays when an account goes.
func without(account event.Account, contents map[string][]string) map[string][]string {
	return only(contents, func(_, row string) bool {
		return !strings.Contains(row, fmt.Sprintf(" %q", account)) && !strings.HasPrefix(row, fmt.Sprintf("[%q", account))
	})
}

func only(contents map[string][]string, keep func(table, row string) bool) map[string][]string {
	some := map[string][]string{}
	for table, rows := range contents {
		for _, row := range rows {
			if keep(table, row) {
				some[table] = append(some[table], row)
			}
		}
	}
	return some
}

// TestMoveGoesOn: a move that dies again and again comes to its end, since it goes on where it was.
func TestMoveGoesOn(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	file, server := newHome(t, ""), newServerHome(t)
	file.incarnations(fullHistory)
	was := file.contents()
	for tries := 1; ; tries++ {
		k := &deathAt{at: 6, after: tries%2 == 0}
		err := server.again(record.MoveOptions{Step: 1, Around: k.around}, file)
		if err == nil {
			if tries < 10 {
				t.Errorf("it took only %d tries", tries)
			}
			break
		}
		if !errors.Is(err, errKilled) || tries == 100 {
			t.Fatalf("try %d: %v", tries, err)
		}
	}
	if d := cmp.Diff(was, server.contents()); d != "" {
		t.Errorf("(-was +is):\n%s", d)
	}
}
