//go:build unix

package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// Somebody clears the folder up while the bot runs: it ends, says what to do, and is not started anew without its memory. Once that is back,
// everybody is answered, and nobody twice.
func TestTheDatabaseIsTakenAway(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	s := newShop(t)
	bot := start(t, s.dir, "run", "--starter")
	bot.Await(t, "the bot is at work")
	since := s.Ledger().Len()
	s.helpWanted("early", 5)
	s.answered(t, since, bot)
	all, err := filepath.Glob(s.file() + "*")
	if err != nil || len(all) < 3 {
		t.Fatalf("files %v, %v", all, err)
	}
	for _, file := range all {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	s.helpWanted("late", 5)
	if status := bot.End(); status != 1 || strings.Count(bot.String(), "nectar: nothing is stored any more: "+s.file()+" was moved or deleted") != 1 {
		t.Errorf("it ends with %d, and says\n%s", status, bot)
	}
	again := start(t, s.dir, "run", "--starter")
	if status := again.End(); status != 1 || !strings.Contains(again.String(), "to go on with that, mv nectar.db.saved nectar.db; to begin anew, delete it") {
		t.Errorf("it ends with %d, and says\n%s", status, again)
	}
	const saved = "nectar: NECTAR_STORE: read nectar.db: it is not there, and nectar.db.saved is what a bot had stored"
	if looks := start(t, s.dir, "events"); looks.End() != 1 || !strings.HasPrefix(looks.String(), saved) {
		t.Errorf("who looks is told\n%s", looks)
	}
	if err := os.Rename(s.file()+".saved", s.file()); err != nil {
		t.Fatal(err)
	}
	again = start(t, s.dir, "run", "--starter")
	s.answered(t, since, again)
	again.Stop()
}
