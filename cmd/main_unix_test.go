//go:build unix

package cmd

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestSignalsEndTheProcessWithStatusZero(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		p := start(t, "", "emulate", "--addr", "127.0.0.1:0")
		p.Await(t, "NECTAR_BASE_URL=http")
		p.Signal(sig)
		if status := p.End(); status != 0 {
			t.Errorf("%v: status %d", sig, status)
		}
	}
}

func TestExitStatusOfTheProcess(t *testing.T) {
	p := start(t, "", "fly")
	if status := p.End(); status != 2 || !strings.HasPrefix(p.String(), "nectar: ") {
		t.Errorf("status %d: printed %q", status, p)
	}
}
