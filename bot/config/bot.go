package config

import (
	"log/slog"
	"math"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

// Bot returns what the settings say about a bot that logs to log, without accounts that are paused. Its Store and Router are
// still to be set.
func (c Config) Bot(log *slog.Logger) bot.Config {
	cfg := bot.Config{
		Log: log, MayBeIdle: len(c.Accounts) > 0 || c.AccountsInStore(), Ceiling: c.Ceiling, TakeoverFor: c.Takeover,
		ListLimit: c.ListLimit,
	}
	if c.HostRate > 0 {
		cfg.Budget = bot.NewBudget(c.HostRate)
	}
	if c.FirstSignIns > 0 && !math.IsInf(c.FirstSignIns, 1) {
		cfg.Entrance = session.NewEntrance(c.FirstSignIns, log)
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
		PollInterval: a.PollInterval, Backlog: &backlog, Pace: paceOf(a.Pace), Concurrency: a.Concurrency,
	}
}

// paceOf returns a pace as a bot takes it.
func paceOf(perSecond float64) *event.Pace {
	if math.IsInf(perSecond, 1) {
		return &event.Pace{}
	}
	rate := bot.DefaultPace().Account
	rate.PerSecond = perSecond
	return &event.Pace{Account: rate}
}
