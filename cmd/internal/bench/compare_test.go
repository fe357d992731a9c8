package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// verdict is a program that notes its turn, and prints a verdict.
const verdict = `package main

import "os"

func main() {
	f, _ := os.OpenFile(os.Getenv("BENCH_TURNS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	f.WriteString("%s")
	f.Close()
	os.Stdout.WriteString("{\"replies\": 3, \"replies_per_second\": %d, \"lost\": %d, \"ok\": %t}")
}
`

// repository makes an empty repository, and goes there. What is measured finds its folders in another one, which has to be empty in the end.
func repository(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	t.Setenv("BENCH_TURNS", filepath.Join(t.TempDir(), "turns"))
	if err := os.WriteFile("go.mod", []byte("module example.org/m\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("cmd/nectar", 0o700); err != nil {
		t.Fatal(err)
	}
	git(t, "init", "--quiet")
	t.Cleanup(func() {
		if left, err := filepath.Glob(filepath.Join(temp, "nectar-*")); err != nil || len(left) > 0 {
			t.Errorf("%v: %v is left", err, left)
		}
		out, err := exec.Command("git", "worktree", "list").CombinedOutput() //nolint:noctx // the context of a test has ended here
		if err != nil || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("%v: these worktrees are left:\n%s", err, out)
		}
	})
}

func git(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
	if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// write writes what nectar is.
func write(t *testing.T, content string) {
	t.Helper()
	if err := os.WriteFile("cmd/nectar/main.go", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// commit writes what nectar is, and commits it.
func commit(t *testing.T, content string) {
	t.Helper()
	write(t, content)
	git(t, "add", ".")
	git(t, "commit", "--quiet", "--message", "nectar")
}

// What cannot be compared is said in a line.
func TestCompareRefuses(t *testing.T) {
	repository(t)
	commit(t, fmt.Sprintf(verdict, "A", 100, 0, true))
	refuses := func(want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"compare", "-n", "1"}, args...), &out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
			t.Errorf("%v: %v, want %q; %s", args, err, want, out.String())
		}
	}
	refuses(`there is no commit "nowhere"`, "nowhere", ".")
	write(t, fmt.Sprintf(verdict, "B", 100, 2, false))
	refuses("lost 2, doubled 0", "HEAD", ".")
	refuses("HEAD is checked out, with changes", "HEAD", "HEAD")
	write(t, "package main\n\nfunc main() { nothing() }\n")
	refuses("undefined: nothing", "HEAD", ".")
	write(t, "package main\n\nfunc main() {}\n")
	refuses("no verdict", ".", "HEAD")
}

// Two programs take turns, and are compared in pairs.
func TestCompareTakesTurns(t *testing.T) {
	repository(t)
	commit(t, fmt.Sprintf(verdict, "A", 100, 0, true))
	commit(t, fmt.Sprintf(verdict, "B", 150, 0, true))
	var out bytes.Buffer
	if err := run(t.Context(), []string{"compare", "HEAD~1", "HEAD", "-n", "3", "--json", "--", "--rules"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if turns, err := os.ReadFile(os.Getenv("BENCH_TURNS")); string(turns) != "ABBAAB" {
		t.Errorf("turns %s, %v", turns, err)
	}
	var m measured
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || len(m.Cases) != 2 {
		t.Fatalf("%v: %s", err, out.String())
	}
	for i, want := range []float64{100, 150} {
		if c := m.Cases[i]; len(c.Runs) != 3 || medianOf(c.valuesOf("replies_per_second")) != want || c.valuesOf("written_bytes_per_reply") != nil {
			t.Errorf("case %d is %+v, want %v replies/s", i, c, want)
		}
	}

	out.Reset()
	if err := run(t.Context(), []string{"compare", "HEAD~1", "."}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if line := strings.Join(strings.Fields(strings.Split(out.String(), "\n")[1]), " "); line != "replies/s 100 150 1.500 1.500–1.500" {
		t.Errorf("%s", out.String())
	}
}

// Who presses Ctrl-C in the middle of a run leaves nothing behind, as repository sees to.
func TestCompareIsInterrupted(t *testing.T) {
	repository(t)
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // in a test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	commit(t, fmt.Sprintf("package main\n\nimport \"net\"\n\nfunc main() { c, _ := net.Dial(\"tcp\", %q); c.Read(make([]byte, 1)) }\n", l.Addr()))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"compare", "HEAD", "."}, io.Discard, io.Discard) }()
	if _, err := l.Accept(); err != nil { // a run is under way
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
