package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/platform"
)

const crashPeers = 8

// writeForEver commits turns from where the store ends, and prints the number of each whose receipt
// came back.
func writeForEver(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: path, Key: keyOf(path)})
	if err != nil {
		return err
	}
	last, err := highest(ctx, s)
	if err != nil {
		return err
	}
	versions := map[platform.UserID]int64{}
	for peer := range platform.UserID(crashPeers) {
		c, err := s.Conversation(ctx, event.Key{Account: ana, Peer: peer + 1})
		if err != nil {
			return err
		}
		versions[peer+1] = c.Version
	}
	room := make(chan bool, 50)
	for n := last + 1; ; n++ {
		room <- true
		peer := platform.UserID(n%crashPeers + 1)
		versions[peer]++
		turn := says(named(turnOf(message(peer, n)), versions[peer], strconv.FormatInt(n, 10)), "hello")
		s.Commit(store.Write{Turn: turn, Done: func(r store.Receipt) {
			if r.Err != nil || r.Dropped {
				fmt.Println("not stored:", n, r)
				os.Exit(1)
			}
			fmt.Println(n)
			s.QueueMarks(mark(turn, event.StateDone, n))
			<-room
		}})
	}
}

// keyOf returns the key of a store at a path, or at a URL: a server takes nothing without one.
func keyOf(path string) platform.Secret {
	if remote.IsURL(path) {
		return "key"
	}
	return ""
}

// TestKilled: whatever was acknowledged before a kill -9 is there after it, and whole.
func TestKilled(t *testing.T) {
	t.Parallel()
	killedOften(t, filepath.Join(t.TempDir(), "store.db"))
}

func killedOften(t *testing.T, path string) {
	t.Helper()
	acknowledged := int64(0)
	for round := range 4 {
		acknowledged = killed(t, path, acknowledged+int64(100+round*150))
		checkAfterCrash(t, path, acknowledged)
	}
}

// killed lets a child write until it has acknowledged an event, and kills it. It returns the last
// one that it acknowledged.
func killed(t *testing.T, path string, until int64) int64 {
	t.Helper()
	p := child.Start(t, child.Command{As: "writer", Args: []string{path}})
	p.Await(t, fmt.Sprintf("\n%d\n", until))
	reading(t, path, until)
	p.Kill()
	said := strings.Fields(p.String())
	last, err := strconv.ParseInt(said[len(said)-1], 10, 64)
	if err != nil {
		t.Errorf("the child says %q", said)
	}
	return last
}

// reading reads beside the process that writes.
func reading(t *testing.T, path string, acknowledged int64) {
	t.Helper()
	r, err := store.OpenReader(t.Context(), path, keyOf(path))
	if err != nil {
		t.Error(err)
		return
	}
	if last, err := highest(t.Context(), r); err != nil || last < acknowledged {
		t.Errorf("another process reads up to %d, %v, and %d were acknowledged", last, err, acknowledged)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func checkAfterCrash(t *testing.T, path string, acknowledged int64) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path, Key: keyOf(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	last, err := highest(t.Context(), s)
	if err != nil || last < acknowledged {
		t.Errorf("stored up to %d, %v, and %d were acknowledged", last, err, acknowledged)
	}
	ids, turns := []event.ID{}, map[platform.UserID][]int64{}
	for n := int64(1); n <= last; n++ {
		peer := platform.UserID(n%crashPeers + 1)
		ids, turns[peer] = append(ids, message(peer, n).ID), append(turns[peer], n)
	}
	found, err := s.StoredEvents(t.Context(), ana, ids)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !found[id] {
			t.Errorf("%s is not stored as handled", id)
		}
	}
	for peer, numbers := range turns {
		c, err := s.Conversation(t.Context(), event.Key{Account: ana, Peer: peer})
		if want := fmt.Sprint(numbers[len(numbers)-1]); err != nil || c.Version != int64(len(numbers)) || c.Name != want {
			t.Errorf("the conversation with %d: %+v, %v; want version %d and name %s", peer, c, err, len(numbers), want)
		}
	}
	open, err := s.Open(t.Context(), ana)
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Results(t.Context(), ana, event.VerbMessage, turnsOf(ids))
	if err != nil || len(open)+len(results) != len(ids) {
		t.Errorf("%d actions are open and %d done, of %d; %v", len(open), len(results), len(ids), err)
	}
}

func turnsOf(ids []event.ID) []int64 {
	var numbers []int64
	for _, id := range ids {
		numbers = append(numbers, id.Number)
	}
	return numbers
}
