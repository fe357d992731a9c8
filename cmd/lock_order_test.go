package cmd

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// lockOrder is the list of docs/architecture/events.md: who holds a lock may take those below it.
var lockOrder = regexp.MustCompile("(?s)## The order of locks\n.*?\n```\n(.*?)```")

// Locks are taken in the order of docs/architecture/events.md: two goroutines that take the same two the other way round would wait for each other
// for ever. Calls are followed as far as they say by their types whom they call; what is called through an interface or a value is not.
func TestLocksAreTakenInTheirOrder(t *testing.T) {
	effort.Shared(t)
	content, err := os.ReadFile("../docs/architecture/events.md")
	if err != nil {
		t.Fatal(err)
	}
	list := lockOrder.FindSubmatch(content)
	if list == nil {
		t.Fatal("docs/architecture/events.md has no list of locks")
	}
	rank := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(list[1])), "\n") {
		name, _, _ := strings.Cut(line, " ")
		rank[name] = i + 1
	}
	found := takenTogether(t, "bot", "platform", "plugins", "handlers")
	if len(found) < 30 {
		t.Errorf("%d pairs of locks are held together, 30 and more were once: are they found?", len(found))
	}
	used := map[string]bool{}
	for _, p := range slices.SortedFunc(maps.Keys(found), func(x, y lockPair) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) }) {
		used[p.held], used[p.taken] = true, true
		switch before, after := rank[p.held], rank[p.taken]; {
		case before == 0 || after == 0:
			t.Errorf("%s is taken while %s is held (%s): give both a line in the list of docs/architecture/events.md", p.taken, p.held, found[p])
		case before >= after:
			t.Errorf("%s is taken while %s is held (%s), and stands above it in docs/architecture/events.md", p.taken, p.held, found[p])
		}
	}
	for name := range rank {
		if !used[name] {
			t.Errorf("docs/architecture/events.md: %s is never held together with another lock", name)
		}
	}
}
