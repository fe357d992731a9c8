//go:build unix

package cmd

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/demo"
)

// Workers are killed, frozen, cut off and replaced, and their database is restarted and replaced by its standby, while people write: the platform finds nothing
// wrong, no worker has tried to write what is another one's, and who is not struck leaves nothing in doubt.
func TestDemoOfWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes as long as leases do")
	}
	t.Parallel()
	logs := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "demo", "--workers", "4", "--store", "postgres", "--accounts", "8",
		"--kills", "1", "--freezes", "1", "--cuts", "1", "--restarts", "1", "--failovers", "1", "--deploys", "1", "--seed", "177", "--dir", logs, "--json")
	cmd.Env = append(os.Environ(), asNectar+"=1")
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == cli.ExitUsage && os.Getenv("NECTAR_TEST_PG") != "required" &&
		strings.Contains(log.String(), pgserver.ErrNone.Error()) {
		t.Skip(log.String())
	}
	var said demo.Report
	if jerr := json.Unmarshal(out, &said); err != nil || jerr != nil || said.Workers == nil {
		t.Fatalf("%v, %v\n%s\n%s%s", err, jerr, out, log.String(), readAll(t, logs))
	}
	r := said.Workers
	if !said.OK || said.Messages == 0 || said.Replies < said.Messages || r.Trespasses != 0 || r.Doubts != 0 {
		t.Errorf("the verdict: %s\n%s", out, readAll(t, logs))
	}
	if r.AfterKill.Accounts+r.AfterFreeze.Accounts+r.AfterCut.Accounts == 0 || r.InRestart.Accounts == 0 || r.InFailover.Accounts == 0 || r.HandedOver.Accounts == 0 {
		t.Errorf("it shows nothing: %s", out)
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
