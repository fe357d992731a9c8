package bot_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

var update = flag.Bool("update", false, "draw the diagrams of docs/architecture anew")

// The diagram of docs/architecture/events.md is the table by which lanes change.
func TestLaneDiagram(t *testing.T) {
	t.Parallel()
	drawn(t, "events.md", "TestLaneDiagram", bot.LaneTransitions())
}

// So is the diagram of what becomes of an action.
func TestActionDiagram(t *testing.T) {
	t.Parallel()
	var all [][3]string
	ends := map[event.State]bool{}
	for _, tr := range outbox.Transitions {
		from := tr.From.String()
		if tr.From == "" {
			from = "[*]"
		}
		all, ends[tr.To] = append(all, [3]string{from, tr.To.String(), tr.Why}), tr.To.Final()
		if tr.From.Final() {
			t.Errorf("%v is final, and becomes %v", tr.From, tr.To)
		}
	}
	for _, s := range slices.Sorted(maps.Keys(ends)) {
		if ends[s] {
			all = append(all, [3]string{s.String(), "[*]", ""})
		}
	}
	drawn(t, "actions.md", "TestActionDiagram", all)
}

// drawn compares the part of a page of docs/architecture that a test has drawn with the transitions of today, each of them from, to and why.
func drawn(t *testing.T, page, test string, transitions [][3]string) {
	t.Helper()
	page = "../docs/architecture/" + page
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin := fmt.Sprintf("<!-- drawn from the code: go test ./bot -run %s -update -->\n```mermaid\n", test)
	before, rest, ok := strings.Cut(string(content), begin)
	old, after, ok2 := strings.Cut(rest, "```\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no diagram of %s", page, test)
	}
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for _, tr := range transitions {
		b.WriteString(strings.TrimSuffix(fmt.Sprintf("    %s --> %s : %s", tr[0], tr[1], tr[2]), " : ") + "\n")
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+b.String()+"```\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), old); diff != "" {
		t.Errorf("%s shows other transitions than the code has; is that meant? go test ./bot -run %s -update (-code +docs):\n%s", page, test, diff)
	}
}
