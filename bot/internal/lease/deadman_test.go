package lease_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// TestNoDeadman: a system without such a timer says so, and everything else goes on.
func TestNoDeadman(t *testing.T) {
	t.Parallel()
	d, err := lease.NewDeadman()
	if err != nil {
		t.Log(err)
		return
	}
	for _, err := range []error{d.Arm(lease.SystemClock().Steady() + time.Hour), d.Disarm(), d.Close(), d.Close(), d.Arm(0), d.Disarm()} {
		if err != nil {
			t.Error(err)
		}
	}
}

// child runs a test of this program as a process of its own, which is told by the environment what to do.
func child(t *testing.T, test, what string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+test+"$", "-test.v")
	c.Env = append(os.Environ(), "NECTAR_TEST_CHILD="+what)
	return c
}
