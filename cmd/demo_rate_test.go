package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/demo"
)

// playDemo plays a demo in processes of its own, and returns what it says to programs.
func playDemo(t *testing.T, args ...string) (said demo.Report) {
	t.Helper()
	var out bytes.Buffer
	p := child.Start(t, child.Command{As: "nectar", Args: append([]string{"demo", "--json"}, args...), Env: os.Environ(), Stdout: &out})
	status := p.End()
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || status != 0 || !said.OK {
		t.Fatalf("%v, status %d\n%s%s", err, status, &out, p)
	}
	return said
}

// People write at a rate, a bot is killed meanwhile, and retention, copies and looks go on beside it: all that was planned was written, nothing is lost or
// doubled, and the report says how long answers took and what went on.
func TestDemoAtARate(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	said := playDemo(t, "--rate", "3000/m", "--for", "4s", "--people", "20", "--kills", "1", "--encrypt")
	l := said.Load
	if l == nil || said.Messages != 200 || said.Replies != 200 || said.Kills != 1 || l.Rate != 50 || l.Lasts != 4 {
		t.Fatalf("%+v\n%+v", said, l)
	}
	if l.P50Ms <= 0 || l.P90Ms < l.P50Ms || l.P99Ms < l.P90Ms || l.MaxMs < l.P99Ms || l.P50Ms != said.P50Ms || l.P99Ms != said.P99Ms || l.Reached <= 0 {
		t.Errorf("the times of answers: %+v", l)
	}
	if l.Behind < 0 || l.Behind > said.Messages || l.WrittenLateMs < 0 || l.Behind > 0 != (l.DrainedSeconds > 0) {
		t.Errorf("how far it was behind: %+v", l)
	}
	if l.Looks == 0 || l.LookMs <= 0 || l.Reads == 0 || l.Old != 200 || l.Deleted == 0 || l.Deleted > l.Old || l.LogPeakMB <= 0 {
		t.Errorf("what went on beside it: %+v", l)
	}
}

// Accounts are signed in to which nobody writes: the report says what each of them costs, and what they were measured beside.
func TestDemoOfIdleAccounts(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	if os.PathSeparator == '\\' {
		t.Skip("Windows does not tell a program what it costs as others do")
	}
	said := playDemo(t, "--idle", "--accounts", "40", "--for", "8s")
	r := said.Idle
	if r == nil || said.Load != nil || said.Messages != 320 || said.Replies != 320 || said.Logins != 41 || r.Accounts != 40 || r.Lasts != 8 || r.Load != 20 {
		t.Fatalf("%+v\n%+v", said, r)
	}
	if r.Polls == 0 || r.CPUSeconds <= 0 || r.LoadCPU <= 0 || r.CPUPerPoll == 0 || r.Heap <= 0 || r.SignInRSS == 0 || r.SignInsTook <= 0 {
		t.Errorf("what an account costs: %+v", r)
	}
}

// What cannot be measured is refused in a line that says what to write.
func TestDemoRefusesToMeasure(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--rate fast":                          "like 1000/s, 60/m or 30/h",
		"--rate 0/s":                           "like 1000/s",
		"--rate -5":                            "like 1000/s",
		"--rate 10/d":                          "like 1000/s",
		"--rate 10/":                           "like 1000/s",
		"--rate 2000000/s":                     "like 1000/s",
		"--rate NaN":                           "like 1000/s",
		"--rate 10 --messages 5":               "leave out --messages",
		"--idle --messages 5":                  "leave out --messages",
		"--for 5s":                             "add one of them, like --rate 1000/s",
		"--rate 10 --for 0s":                   "--for",
		"--rate 10 --for 2h":                   "--for 1s to 1h",
		"--rate 1/h --for 1s":                  "change --rate or --for",
		"--rate 1000000 --for 1h":              "change --rate or --for",
		"--rate 10 --idle":                     "leave out one of them",
		"--rate 10 --wait":                     "leave out --wait",
		"--rate 10 --lively":                   "--lively",
		"--rate 10 --bare":                     "--bare",
		"--rate 10 --in-process":               "--in-process",
		"--rate 10 --campaigns=2":              "--campaigns",
		"--rate 10 --store postgres":           "--store postgres",
		"--idle --kills 1":                     "--kills",
		"--idle --faults rough":                "--faults",
		"--idle --wait":                        "--wait",
		"--idle --bare":                        "--bare",
		"--idle --accounts 0":                  "1 to 20000",
		"--idle --accounts 20001":              "1 to 20000",
		"--idle --store postgres --accounts 5": "--store postgres",
	} {
		r := nectar(t, append([]string{"demo"}, strings.Fields(line)...)...)
		said := strings.TrimSpace(r.stderr)
		if r.status != 2 || !strings.Contains(said, want) || strings.Contains(said, "\n") || r.stdout != "" {
			t.Errorf("%s: %d %s", line, r.status, r.stderr)
		}
	}
}
