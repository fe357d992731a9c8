package config

import (
	"log/slog"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

// Bot returns what the settings say about a bot that logs to log, without accounts that are paused. Its Store and Router are
// still to be set.
func (c Config) Bot(log *slog.Logger) bot.Config {
	cfg := bot.Config{
		Log: log, MayBeIdle: len(c.Accounts) > 0 || c.AccountsInStore(), Ceiling: bot.Ceiling(c.Ceiling), TakeoverFor: time.Duration(c.Takeover),
		ListLimit: int64(c.ListLimit),
	}
	if c.HostRate > 0 {
		cfg.Budget = bot.NewBudget(float64(c.HostRate))
	}
	if !c.FirstSignIns.Unlimited() && c.FirstSignIns > 0 {
		cfg.Entrance = session.NewEntrance(float64(c.FirstSignIns), log)
	}
	for _, a := range c.Serving() {
		cfg.Accounts = append(cfg.Accounts, a.Bot())
	}
	return cfg
}

// Bot returns the account as a bot takes it.
func (a Account) Bot() bot.Account {
	backlog := event.Skip
	if a.Backlog == "unread" {
		backlog = event.Unread
	}
	return bot.Account{
		Name: a.Name, BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP,
		Credentials: session.Credentials{
			Email: a.Email, Password: a.Password, OAuthType: a.OAuthType, OAuthToken: a.OAuthToken, DeviceType: a.DeviceType,
		},
		PollInterval: a.PollInterval, Backlog: &backlog, Pace: a.Pace.outbox(), Concurrency: a.Concurrency,
	}
}

// outbox returns the pace as the outbox takes it.
func (p Pace) outbox() *event.Pace {
	if p.Unlimited() {
		return &event.Pace{}
	}
	rate := bot.DefaultPace().Account
	rate.PerSecond = float64(p)
	return &event.Pace{Account: rate}
}
