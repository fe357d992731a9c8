package bot_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
)

var update = flag.Bool("update", false, "draw the diagrams of docs/architecture.md anew")

const architecture = "../docs/architecture.md"

// The diagram of docs/architecture.md is the table by which lanes change.
func TestLaneDiagram(t *testing.T) {
	t.Parallel()
	drawn(t, "TestLaneDiagram", bot.LaneTransitions())
}

// drawn compares the part of the architecture that a test has drawn with the transitions of today, each of them from, to and why.
func drawn(t *testing.T, test string, transitions [][3]string) {
	t.Helper()
	content, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	begin := fmt.Sprintf("<!-- drawn from the code: go test ./bot -run %s -update -->\n```mermaid\n", test)
	before, rest, ok := strings.Cut(string(content), begin)
	old, after, ok2 := strings.Cut(rest, "```\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no diagram of %s", architecture, test)
	}
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for _, tr := range transitions {
		fmt.Fprintf(&b, "    %s --> %s : %s\n", tr[0], tr[1], tr[2])
	}
	if *update {
		if err := os.WriteFile(architecture, []byte(before+begin+b.String()+"```\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), old); diff != "" {
		t.Errorf("%s shows other transitions than the code has; is that meant? go test ./bot -run %s -update (-code +docs):\n%s", architecture, test, diff)
	}
}
