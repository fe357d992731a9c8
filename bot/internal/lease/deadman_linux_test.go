package lease_test

import (
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
)

// TestDeadman: a process that stands still beyond its lease is ended by the kernel, also when it is stopped; one that renews it, or has
// disarmed it, is not.
func TestDeadman(t *testing.T) {
	t.Parallel()
	for what, killed := range map[string]bool{"stopped": true, "still": true, "renewed": false, "disarmed": false, "closed": false} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := child.Start(t, child.Command{As: "still", Args: []string{what}})
			if what == "stopped" {
				p.Await(t, "armed")
				p.Signal(syscall.SIGSTOP)
			}
			want := 0
			if killed {
				want = 128 + int(syscall.SIGKILL)
			}
			if status := p.End(); status != want { // a stopped process ends by nothing else
				t.Errorf("it ends with status %d:\n%s", status, p)
			}
		})
	}
}
