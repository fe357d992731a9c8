package conversation_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/conversation"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMermaid(t *testing.T) {
	odd := conversation.MustFlow("odd-names", definition{
		States: states{
			{Name: "state", Timeout: 90 * time.Minute, OnTimeout: "slow"},
			{Name: "a-b"},
			{Name: "a.b", Timeout: 45 * time.Second, OnTimeout: "slow"},
			{Name: "größe"},
			{Name: "End", Final: true},
		},
		Transitions: moves{
			{From: "state", On: "1", To: "a-b"},
			{From: "a-b", On: "2", To: "a.b"},
			{From: "a.b", On: "3", To: "größe", Guard: func(context.Context, *Turn, *Order) bool { return true }},
			{From: "größe", On: "slow", To: "größe"},
			{From: conversation.Anywhere, On: "slow", To: "End"},
			{From: conversation.Anywhere, On: "stop", To: "End"},
		},
	})
	for name, got := range map[string]string{"order": orderFlow.Mermaid(), "odd-names": odd.Mermaid()} {
		t.Run(name, func(t *testing.T) {
			file := name + ".mmd"
			if *update {
				if err := os.WriteFile(filepath.Join("testdata", file), []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := fs.ReadFile(os.DirFS("testdata"), file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
