package lease_test

import (
	"errors"
	"fmt"
	"os"
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
	for _, err := range []error{d.SetDeadline(lease.SystemClock().Steady() + time.Hour), d.ClearDeadline(), d.Close(), d.Close(), d.SetDeadline(0), d.ClearDeadline()} {
		if err != nil {
			t.Error(err)
		}
	}
}

// beStill arms a timer, and stands still until it is over.
func beStill(what string) {
	d, err := lease.NewDeadman()
	clock := lease.SystemClock()
	const term = 500 * time.Millisecond
	if err == nil {
		err = d.SetDeadline(clock.Steady() + term)
	}
	switch what {
	case "renewed":
		err = errors.Join(err, d.SetDeadline(clock.Steady()+time.Hour))
	case "disarmed":
		err = errors.Join(err, d.ClearDeadline())
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
