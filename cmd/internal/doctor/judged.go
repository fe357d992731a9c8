package doctor

import (
	"context"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// tellJudgement says how the bot stands that runs on the database, as all that tell of it do. It comes before the doctor opens that itself.
func (d *Doctor) tellJudgement(ctx context.Context, cfg config.Config) {
	const check = "bot"
	i, err := inspect.Open(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return // the check of the database says so, or there was no bot yet
	}
	defer func() { _ = i.Close() }() // it was only read
	j, err := i.Judgement(ctx)
	switch {
	case err != nil:
		d.NoteFinding(Finding{Check: check, Status: Failed, Said: err.Error()})
		return
	case j.Well():
		d.NoteFinding(Finding{Check: check, Status: Good, Said: "it runs, and nothing is wrong with it"})
		return
	}
	note := func(account event.Account, all []record.Trouble) {
		for i := range all {
			t := &all[i]
			f := Finding{Account: string(account), Check: check, Status: Failed, Said: view.TroubleAdvised(t)}
			if t.Why.Code() == record.TroubleNone {
				f.Status = Good // it is looked at before it is begun
			}
			d.NoteFinding(f)
		}
	}
	note("", j.Process)
	for _, a := range cfg.Accounts {
		note(a.Name, j.Accounts[a.Name])
	}
}
