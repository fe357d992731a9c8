package cmd

import (
	"errors"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/spf13/pflag"
)

func (d demo) check() error {
	_, faults := emulator.ParseFaults(d.faults)
	_, dialect := emulator.ParseDialect(d.dialect)
	if err := errors.Join(faults, dialect); err != nil {
		return err
	}
	if err := d.checkWorkers(); err != nil {
		return err
	}
	switch {
	case d.people < 1 || d.messages < 1:
		return errors.New("--people and --messages must be at least 1")
	case d.kills < 0:
		return errors.New("--kills cannot be negative")
	case d.kills > 0 && d.inProcess:
		return errors.New("--kills needs a process to kill: leave out --in-process")
	case d.campaigns < 0 || d.campaigns > 1000 || d.lasts < time.Second || d.lasts > time.Hour:
		return errors.New("--campaigns is 1 to 1000, and --for 1s to 1h")
	case d.campaigns > 0 && (d.bare || d.inProcess):
		return errors.New("--campaigns needs the bot, in a process of its own: leave out --bare and --in-process")
	case d.bare && d.rules:
		return errors.New("--bare has no rules: leave one of them out")
	case d.bare && (d.kills > 0 || d.faults != "none"):
		return errors.New("a bare client cannot take --kills or --faults: it would lose what it was doing")
	}
	return nil
}

// checkWorkers looks at what is said of workers.
func (d demo) checkWorkers() error {
	alone := d.store == "sqlite"
	switch {
	case !alone && d.store != "postgres":
		return fmt.Errorf("unknown --store %q: want sqlite or postgres", d.store)
	case alone && d.workers > 1:
		return errors.New("--workers share a database of PostgreSQL: add --store postgres")
	case alone && (d.freezes != 0 || d.cuts != 0 || d.restarts != 0 || d.fills != 0 || d.failovers != 0 || d.deploys != 0):
		return errors.New("--freezes, --cuts, --restarts, --fills, --failovers and --deploys are for workers: add --store postgres")
	case d.workers < 0 || d.workers > 16:
		return errors.New("--workers is 1 to 16")
	case alone:
		return nil
	case d.accounts < 1 || d.accounts > 1000:
		return errors.New("--accounts is 1 to 1000")
	case min(d.freezes, d.cuts, d.restarts, d.fills, d.failovers, d.deploys) < 0:
		return errors.New("--freezes, --cuts, --restarts, --fills, --failovers and --deploys cannot be negative")
	case d.bare || d.inProcess || d.rules || d.campaigns > 0:
		return errors.New("--store postgres runs the bot written in Go, in processes of its own: leave out --bare, --in-process, --rules and --campaigns")
	case d.people < d.accounts:
		return errors.New("--people must be as many as --accounts at least: each has somebody who writes")
	}
	return nil
}

// disturbed tells whether something befalls the bot.
func (d *demo) disturbed() bool {
	return d.kills+d.freezes+d.cuts+d.restarts+d.fills+d.failovers+d.deploys > 0
}

// complete fills in what was not said of workers.
func (d *demo) complete(flags *pflag.FlagSet) {
	if d.store != "postgres" {
		if d.workers == 1 {
			d.workers = 0 // the bot is one anyway
		}
		return
	}
	if d.encrypt = true; d.workers == 0 { // what is kept on a server always is
		d.workers = 1
	}
	if !flags.Changed("people") {
		d.people = 3 * d.accounts
	}
	if !d.disturbed() {
		return
	}
	d.lively = false
	if !flags.Changed("messages") {
		d.messages = int(expected(d.incidents(), d.workers, d.tracks()).Seconds()) * workersWrite
	}
}

// workersWrite is how many messages people write a second, while something befalls workers, unless it is said how many there are.
const workersWrite = 20
