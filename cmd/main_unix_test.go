//go:build unix

package cmd

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestSignalsEndTheProcessWithStatusZero(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "emulate", "--addr", "127.0.0.1:0")
		cmd.Env = append(os.Environ(), asNectar+"=1")
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		setting(t, bufio.NewReader(stdout), "NECTAR_BASE_URL")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", sig, err)
		}
	}
}

func TestExitStatusOfTheProcess(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "fly")
	cmd.Env = append(os.Environ(), asNectar+"=1")
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 {
		t.Errorf("want exit status 2, got %v", err)
	}
	if !strings.HasPrefix(string(out), "nectar: ") {
		t.Errorf("printed %q", out)
	}
}
