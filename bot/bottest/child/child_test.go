package child_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	child.Main(map[string]func(){
		"echo":  func() { _, _ = fmt.Fprintln(os.Stderr, "ready"); _, _ = io.Copy(os.Stdout, os.Stdin) },
		"waits": func() { fmt.Println("waits in", os.Getenv("PLACE")); select {} },
		"fails": func() { fmt.Println(os.Args[1:], "fail"); os.Exit(7) },
	})
	goleak.VerifyTestMain(m)
}

// What a child prints, and how it ends, is there when it has ended.
func TestProcess(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	p := child.Start(t, child.Command{As: "echo", Stdin: strings.NewReader("hello"), Stdout: &stdout})
	p.Await(t, "hello")
	if status := p.End(); status != 0 || stdout.String() != "hello" || len(p.String()) != len("ready\nhello") {
		t.Errorf("status %d, %q, and in all %q", status, stdout.String(), p)
	}
	p = child.Start(t, child.Command{As: "fails", Args: []string{"they", "all"}})
	if status := p.End(); status != 7 || p.String() != "[they all] fail\n" {
		t.Errorf("status %d, %q", status, p)
	}
	p = child.Start(t, child.Command{As: "nobody"})
	if status := p.End(); status != 3 || p.String() != "the tests know no child \"nobody\"\n" {
		t.Errorf("status %d, %q", status, p)
	}
}

// A child that is killed has ended when Kill returns, and the next one can be started.
func TestKill(t *testing.T) {
	t.Parallel()
	for range 2 {
		p := child.Start(t, child.Command{As: "waits", Env: []string{"PLACE=the hall"}})
		p.Await(t, "waits in the hall\n")
		p.Kill()
		if status := p.End(); status != 137 && status != 1 { // of Windows
			t.Errorf("status %d", status)
		}
	}
}

// A child that ends when nobody expects it makes the test fail, with what it has said.
func TestEndsByItself(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		then func(p *child.Process)
		want string
	}{
		"waited for": {func(p *child.Process) { p.End() }, ""},
		"killed":     {func(p *child.Process) { p.Kill() }, "killed: os: process already finished\n[] fail\n"},
		"left alone": {func(*child.Process) {}, "it ended by itself: exit status 7\n[] fail\n"},
	} {
		r := &recorder{TB: t}
		p := child.Start(r, child.Command{As: "fails"})
		const never = "it ended, and was to say\ndone\nIt says\n[] fail\n"
		if said := failure(t, func(tb testing.TB) { tb.Helper(); p.Await(tb, "done") }); said != never {
			t.Errorf("%s: it says %q, want %q", name, said, never)
		}
		test.then(p)
		if r.end(); r.said.String() != test.want {
			t.Errorf("%s: it says %q, want %q", name, &r.said, test.want)
		}
	}
}

// failure is what a test says that fails.
func failure(t *testing.T, test func(tb testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // which Fatalf ends
		defer close(done)
		test(r)
	}()
	<-done
	return r.said.String()
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	said strings.Builder
	ends []func()
}

func (r *recorder) Cleanup(f func()) { r.ends = append(r.ends, f) }

func (r *recorder) Errorf(format string, args ...any) { fmt.Fprintf(&r.said, format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// end ends the test.
func (r *recorder) end() {
	for _, f := range r.ends {
		f()
	}
}
