package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// doctorNames is how many names of timers the doctor tells, those of most people first.
const doctorNames = 5

// tellTimers says when timers wait for a person, or for another program, also beside a bot.
func (d *Doctor) tellTimers(ctx context.Context, cfg config.Config) {
	r, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		d.NoteFinding(Finding{Check: "timers", Status: Odd, Said: err.Error()})
		return
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	var orphans []record.TimerCount
	stuck := 0
	if err := r.TimerNames(ctx, func(c record.TimerCount) {
		stuck += c.Quarantined
		if c.Orphaned > 0 {
			orphans = append(orphans, c)
		}
	}); err != nil {
		d.NoteFinding(Finding{Check: "timers", Status: Odd, Said: err.Error()})
		return
	}
	var said []string
	if len(orphans) > 0 {
		said = append(said, orphaned(orphans))
	}
	if stuck > 0 {
		said = append(said, fmt.Sprintf("failed too often: %d; nectar events --quarantined lists them", stuck))
	}
	if len(said) > 0 {
		d.NoteFinding(Finding{Check: "timers", Status: Odd, Said: strings.Join(said, "; ")})
	}
}

// orphaned says which timers came due while the program had no route for them.
func orphaned(orphans []record.TimerCount) string {
	slices.SortStableFunc(orphans, func(x, y record.TimerCount) int { return cmp.Compare(y.Orphaned, x.Orphaned) })
	names := make([]string, 0, doctorNames)
	more := 0
	for i, c := range orphans {
		if i < doctorNames {
			names = append(names, fmt.Sprintf("%s of account %s (people: %d)", print.QuotePlain(c.Name, 40), c.Account, c.Orphaned))
		} else {
			more += c.Orphaned
		}
	}
	all := strings.Join(names, ", ")
	if more > 0 {
		all += fmt.Sprintf(", and %d of other names", more)
	}
	return "came due while the program had no route, flow or account for them, and wait for one that has: " + all +
		"; nectar events --orphaned lists them"
}
