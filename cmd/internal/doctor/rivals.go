package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/nectar-bot/nectar/platform"
)

// tellRivals says when another bot was seen to answer on one of the accounts. What the bot keeps is read beside it, if it
// runs; st is nil then.
func (d *Doctor) tellRivals(ctx context.Context, cfg config.Config, st bot.Store) {
	var reader inspect.Reader
	if st != nil {
		reader = inspect.Of(st)
	} else {
		r, err := inspect.OpenReader(ctx, string(cfg.Store), cfg.SecretKey)
		if err != nil {
			return // the check of the database says so
		}
		defer func() { _ = r.Close() }() // it was only read
		reader = r
	}
	known, err := reader.Knowledge(ctx, accountsOf(cfg))
	if err != nil {
		d.NoteFinding(Finding{Check: "other bots", Status: Failed, Said: err.Error()})
		return
	}
	stopped, err := view.StoppedRules(ctx, reader, accountsOf(cfg))
	if err != nil {
		d.NoteFinding(Finding{Check: "rules", Status: Failed, Said: err.Error()})
	}
	for _, a := range cfg.Accounts {
		if said := view.StoppedNow(stopped[a.Name]); said != "" {
			d.NoteFinding(Finding{string(a.Name), "rules", Odd, said})
		}
		s, err := inspect.StandingOf(ctx, known, a.Name)
		if now := view.PausedNow(a.Name, s.Pauses); now != "" {
			d.NoteFinding(Finding{string(a.Name), "paused", Odd, now})
		}
		if said := d.tellRestored(ctx, reader, known, a.Name); said != "" {
			d.NoteFinding(Finding{string(a.Name), "copy put back", Odd, said})
		}
		why := view.OtherBot(a.Name, s, time.Now())
		f := Finding{string(a.Name), "other bots", Odd, why}
		switch {
		case err != nil:
			f.Status, f.Said = Failed, err.Error()
		case s.State == inspect.Stopped:
			f.Status, f.Said = Failed, "it has stopped by itself, "+print.TimeText(s.Since)+"; "+why
		case why == "":
			continue
		}
		d.NoteFinding(f)
	}
}

// accountsOf returns the accounts of the settings.
func accountsOf(cfg config.Config) []event.Account {
	all := make([]event.Account, len(cfg.Accounts))
	for i := range cfg.Accounts {
		all[i] = cfg.Accounts[i].Name
	}
	return all
}

// person is somebody on a platform.
type person struct {
	base string
	id   platform.UserID
}

// noteMet notes who an account is; two accounts that are the same person would answer everything twice.
func (d *Doctor) noteMet(a config.Account, id platform.UserID) {
	who := person{strings.ToLower(strings.TrimRight(a.BaseURL, "/")), id}
	if other, ok := d.people[who]; ok && id != 0 {
		d.NoteFinding(Finding{string(a.Name), "who it is", Failed, fmt.Sprintf("the same person as the account %s: remove one of the two", other)})
	}
	if d.people == nil {
		d.people = map[person]string{}
	}
	d.people[who] = string(a.Name)
}
