package main

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// missingRules says when the rule files cannot be read, what is in force then, and how old that is.
func (d *doctor) missingRules(ctx context.Context, cfg config.Config) {
	const check = "rules"
	_, err := rules.ReadSources(whole(cfg.Rules))
	if err == nil {
		return
	}
	last, known := inForce(ctx, cfg)
	if !known {
		d.note(finding{Check: check, Status: odd, Said: err.Error() + "; until then only nectar run --starter begins"})
		return
	}
	d.note(finding{Check: check, Status: odd, Said: fmt.Sprintf("%s. What was in force stays so: %d files, loaded %s ago, %s",
		err, last.files, age(time.Since(last.loaded)), when(last.loaded))})
}

// age says how long ago something was, in its largest unit.
func age(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	default:
		return fmt.Sprintf("%d minutes", max(int(d.Minutes()), 0))
	}
}
