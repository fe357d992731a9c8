package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

const (
	followPause = time.Second
	followAtOne = 200 // events are looked at at a time
)

// followEvents prints what has happened, the oldest first, and goes on with what comes, each once it has had its turn.
func (l *EventList) followEvents(ctx context.Context, d *View) error {
	told := map[string]bool{}
	show := l.Limit
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	for {
		l.Limit = max(followAtOne, show)
		all, err := l.readOccasions(ctx, d)
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(all, func(o occasion) bool { return o.isOpen() || told[o.named()] })
		if len(told) == 0 {
			for i := range fresh {
				told[fresh[i].named()] = true
			}
			fresh = fresh[:min(len(fresh), show)]
		}
		for i := range slices.Backward(fresh) {
			o := &fresh[i]
			told[o.named()] = true
			if err := l.printOccasion(d, o); err != nil {
				return err
			}
		}
		told[""] = true // it has begun
		if len(told) > 100*followAtOne {
			l.forgetTold(told, all)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// forgetTold keeps of what was told what is still looked at.
func (l *EventList) forgetTold(told map[string]bool, all []occasion) {
	clear(told)
	told[""] = true
	for i := range all {
		told[all[i].named()] = true
	}
}

// named names an occasion: one that is quarantined is another one once it was tried again.
func (o *occasion) named() string {
	name := string(o.key().Account) + " " + o.id()
	if o.event != nil && o.event.State == record.EventQuarantined {
		name += " " + o.event.State
	}
	return name
}

// isOpen reports whether it has not had its turn, or is gathered to be answered with what follows.
func (o *occasion) isOpen() bool {
	return o.timer != nil && o.timer.State == record.TimerWaiting || o.event != nil && (o.event.State == record.EventPending || IsGathered(o.event))
}

// printOccasion prints an occasion in a line.
func (l *EventList) printOccasion(d *View, o *occasion) error {
	if d.JSON {
		return print.WriteLine(d.Out, o.forMachines(nil))
	}
	account := ""
	if len(d.Meant) > 1 {
		account = string(o.key().Account) + "  "
	}
	cells := o.columnsOf(nil)
	line := fmt.Sprintf("%s  %s%s  %s  →  %s", print.TimeText(o.at()), account, o.personName(), cells[0], cells[1])
	line += print.PrefixText(" by ", cells[2]) + print.PrefixText(": ", cells[3])
	_, err := fmt.Fprintln(d.Out, strings.TrimRight(print.PlainText(line, 0), " "))
	return err
}
