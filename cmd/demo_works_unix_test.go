//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/demo"
)

// Workers are killed, frozen, cut off and replaced, and their database is restarted and replaced by its standby, while people write: the platform finds nothing
// wrong, no worker has tried to write what is another one's, and who is not struck leaves nothing in doubt.
func TestDemoOfWorkers(t *testing.T) {
	onlyWithAll(t)
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	t.Parallel()
	logs := t.TempDir()
	var out bytes.Buffer
	p := child.Start(t, child.Command{As: "nectar", Env: os.Environ(), Stdout: &out, Args: []string{
		"demo", "--workers", "4", "--store", "postgres", "--accounts", "8",
		"--kills", "1", "--freezes", "1", "--cuts", "1", "--restarts", "1", "--failovers", "1", "--deploys", "1", "--seed", "177", "--dir", logs, "--json",
	}})
	status := p.End()
	if status == cli.ExitUsage && os.Getenv("NECTAR_TEST_PG") != "required" && strings.Contains(p.String(), pgserver.ErrNone.Error()) {
		t.Skip(p.String())
	}
	var said demo.Report
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || status != 0 || said.Workers == nil {
		t.Fatalf("%v, status %d\n%s%s", err, status, p, readAll(t, logs))
	}
	r := said.Workers
	if !said.OK || said.Messages == 0 || said.Replies < said.Messages || r.Trespasses != 0 || r.Doubts != 0 {
		t.Errorf("the verdict: %s\n%s", &out, readAll(t, logs))
	}
	if r.AfterKill.Accounts+r.AfterFreeze.Accounts+r.AfterCut.Accounts == 0 || r.InRestart.Accounts == 0 || r.InFailover.Accounts == 0 || r.HandedOver.Accounts == 0 {
		t.Errorf("it shows nothing: %s", &out)
	}
}

// readAll returns what workers have logged.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Error(err)
		}
		all.WriteString(filepath.Base(f) + "\n" + string(text))
	}
	return all.String()
}
