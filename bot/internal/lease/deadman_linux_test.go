package lease_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/internal/lease"
)

// TestDeadman: a process that stands still beyond its lease is ended by the kernel, also when it is stopped; one that renews it, or has
// disarmed it, is not.
func TestDeadman(t *testing.T) {
	if what := os.Getenv("NECTAR_TEST_CHILD"); what != "" {
		beStill(what)
		return
	}
	t.Parallel()
	for what, killed := range map[string]bool{"stopped": true, "still": true, "renewed": false, "disarmed": false, "closed": false} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := child(t, "TestDeadman", what)
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if what == "stopped" && strings.Contains(lines.Text(), "armed") {
					if err := c.Process.Signal(syscall.SIGSTOP); err != nil {
						t.Error(err)
					}
				}
			}
			var exit *exec.ExitError
			err = c.Wait() // a stopped process ends by nothing else
			ended := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
			if ended != killed || !killed && err != nil {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

// beStill arms a timer, and stands still until it is over.
func beStill(what string) {
	d, err := lease.NewDeadman()
	clock := lease.SystemClock()
	const term = 500 * time.Millisecond
	if err == nil {
		err = d.Arm(clock.Steady() + term)
	}
	switch what {
	case "renewed":
		err = errors.Join(err, d.Arm(clock.Steady()+time.Hour))
	case "disarmed":
		err = errors.Join(err, d.Disarm())
	case "closed":
		err = errors.Join(err, d.Close())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	fmt.Println("armed")
	for until := clock.Steady() + 2*term; clock.Steady() < until || what == "stopped"; {
		time.Sleep(term / 10)
	}
}
