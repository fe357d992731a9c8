package demo

import (
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
)

// Check refuses flags that do not go together.
func (d Demo) Check() error {
	_, faults := emulator.ParseFaults(d.Faults)
	_, dialect := emulator.ParseDialect(d.Dialect)
	if err := errors.Join(faults, dialect); err != nil {
		return err
	}
	if err := d.checkWorkers(); err != nil {
		return err
	}
	if err := d.checkMeasured(); err != nil {
		return err
	}
	switch {
	case d.People < 1 || d.Messages < 1:
		return errors.New("--people and --messages must be at least 1")
	case d.Kills < 0:
		return errors.New("--kills cannot be negative")
	case d.Kills > 0 && d.InProcess:
		return errors.New("--kills needs a process to kill: leave out --in-process")
	case d.Campaigns < 0 || d.Campaigns > 1000 || d.Lasts < time.Second || d.Lasts > time.Hour:
		return errors.New("--campaigns is 1 to 1000, and --for 1s to 1h")
	case d.Campaigns > 0 && (d.Bare || d.InProcess):
		return errors.New("--campaigns needs the bot, in a process of its own: leave out --bare and --in-process")
	case d.Bare && d.Rules:
		return errors.New("--bare has no rules: leave one of them out")
	case d.Bare && (d.Kills > 0 || d.Faults != "none"):
		return errors.New("a bare client cannot take --kills or --faults: it would lose what it was doing")
	}
	return nil
}

// checkMeasured looks at what is said of a rate, and of idle accounts.
func (d Demo) checkMeasured() error {
	alone := d.Bare || d.InProcess || d.Campaigns > 0 || d.Store != "sqlite" || d.Wait || d.Lively
	switch {
	case d.Rate > 0 && d.Idle:
		return errors.New("--rate and --idle measure different things: leave out one of them")
	case d.Rate > 0 && alone:
		return errors.New("--rate is for people who do not wait, and one bot: leave out --wait, --lively, --bare, --in-process, --campaigns and --store postgres")
	case d.Rate > 0 && (d.Messages < 1 || d.Messages > loadMost):
		return fmt.Errorf("--rate for %s is %d messages: want 1 to %d, so change --rate or --for", d.Lasts, d.Messages, loadMost)
	case d.Idle && (alone || d.IsDisturbed() || d.Faults != "none"):
		return errors.New("--idle measures one bot that nothing befalls: leave out --wait, --lively, --bare, --in-process, --campaigns, --store postgres, --kills and --faults")
	case d.Idle && (d.Accounts < 1 || d.Accounts > 20_000):
		return errors.New("--accounts is 1 to 20000 with --idle")
	case d.Idle && !hasMeter:
		return errors.New("--idle needs Linux or macOS, which tell a program what it costs")
	}
	return nil
}

// checkWorkers looks at what is said of workers.
func (d Demo) checkWorkers() error {
	alone := d.Store == "sqlite"
	switch {
	case !alone && d.Store != "postgres":
		return fmt.Errorf("unknown --store %q: want sqlite or postgres", d.Store)
	case alone && d.Workers > 1:
		return errors.New("--workers share a database of PostgreSQL: add --store postgres")
	case alone && (d.Freezes != 0 || d.Cuts != 0 || d.Restarts != 0 || d.Fills != 0 || d.Failovers != 0 || d.Deploys != 0):
		return errors.New("--freezes, --cuts, --restarts, --fills, --failovers and --deploys are for workers: add --store postgres")
	case d.Workers < 0 || d.Workers > 16:
		return errors.New("--workers is 1 to 16")
	case alone:
		return nil
	case d.Accounts < 1 || d.Accounts > 1000:
		return errors.New("--accounts is 1 to 1000")
	case min(d.Freezes, d.Cuts, d.Restarts, d.Fills, d.Failovers, d.Deploys) < 0:
		return errors.New("--freezes, --cuts, --restarts, --fills, --failovers and --deploys cannot be negative")
	case d.Bare || d.InProcess || d.Rules || d.Campaigns > 0:
		return errors.New("--store postgres runs the bot written in Go, in processes of its own: leave out --bare, --in-process, --rules and --campaigns")
	case d.People < d.Accounts:
		return errors.New("--people must be as many as --accounts at least: each has somebody who writes")
	}
	return nil
}

// IsDisturbed reports whether something befalls the bot.
func (d *Demo) IsDisturbed() bool {
	return d.Kills+d.Freezes+d.Cuts+d.Restarts+d.Fills+d.Failovers+d.Deploys > 0
}

// WorkersWrite is how many messages people write a second, while something befalls workers, unless it is said how many there are.
const WorkersWrite = 20
