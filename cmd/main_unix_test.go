//go:build unix

package cmd

import (
	"os"
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
