package campaigns

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// files are the campaigns of an account as somebody wants them.
type files struct {
	written
	told   bool             // somebody has said so in this incarnation; otherwise what was in force before stays so
	at     time.Time        // when
	sum    string           // names them
	wait   bool             // what takes something away waits for people
	budget campaigns.Budget // how much the account publishes at most
	limits bool             // that is written, and holds without campaigns, too
}

// written are campaigns as they are written.
type written struct {
	all     []*campaigns.Campaign
	encoded map[string]string // by their ids, as campaigns.Encode has them
}

// editsWait lets what removes or moves slots, or voids what was approved, wait until people put it in force: asked for
// "campaigns/apply". A campaign that becomes more careful does so at once.
func editsWait() func(*files) { return func(f *files) { f.wait = true } }

// budgeted says how much the account publishes at most, with campaigns or without.
func budgeted(b campaigns.Budget) func(*files) {
	return func(f *files) { f.budget, f.limits = b, true }
}

// takeIn takes the campaigns in.
func (f *files) takeIn(all []*campaigns.Campaign) error {
	encoded, err := campaigns.EncodeAll(all)
	if err != nil {
		return err
	}
	f.told, f.at, f.written = true, time.Now(), written{all, encoded}
	sum := sha256.New()
	for _, c := range all {
		sum.Write([]byte(encoded[c.ID] + "\n"))
	}
	f.sum = hex.EncodeToString(sum.Sum(nil)[:6])
	return nil
}

// InForce takes the campaigns of rule files that come into force for an account: those that name it, and where the files are of
// no other account those that name none. It is for autoresponder.Config.
func (p *Plugin) InForce(account event.Account, v *rules.Version) {
	accounts := []event.Account{account}
	if account == "" { // all
		accounts = p.knownAccounts()
	}
	for _, a := range accounts {
		all, problems := v.CampaignsOf(a)
		for _, problem := range problems {
			p.cfg.Log.Warn("a campaign is not run", "file", problem.File, "line", problem.Line, "problem", problem.Text)
		}
		if len(accounts) > 1 {
			all = namedCampaigns(all, v)
		}
		var options []func(*files)
		if !v.AppliesAtOnce() {
			options = append(options, editsWait())
		}
		if b, written := v.Budget(); written {
			options = append(options, budgeted(b))
		}
		if err := p.useCampaigns(a, all, options...); err != nil {
			p.cfg.Log.Error("campaigns cannot be run", "account", a, "err", err)
		}
	}
}

// namedCampaigns leaves out campaigns that name no account.
func namedCampaigns(all []*campaigns.Campaign, v *rules.Version) []*campaigns.Campaign {
	written, _ := v.Campaigns()
	return slices.DeleteFunc(slices.Clone(all), func(c *campaigns.Campaign) bool {
		return slices.ContainsFunc(written, func(w *campaigns.Campaign) bool { return w.ID == c.ID && w.Account == "" })
	})
}
