package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
)

// An account that is paused in the settings is none of the bot's, whichever way they are read.
func TestPausedAccounts(t *testing.T) {
	const file = `
accounts:
  shop: {email: shop@social.example, password: x}
  cafe: {email: cafe@social.example, password: x, state: paused}
  news: {email: news@social.example, password: x, state: '${NEWS}'}
`
	for name, tc := range map[string]struct {
		environ []string
		paused  []event.Account
	}{
		"one":            {[]string{"NEWS=on"}, []event.Account{"cafe"}},
		"by a variable":  {[]string{"NEWS=paused"}, []event.Account{"cafe", "news"}},
		"unless they do": {[]string{"NEWS=on", "NECTAR_STATE=paused"}, []event.Account{"shop", "cafe"}},
		"by none":        {[]string{"NEWS=", "NECTAR_STATE=paused"}, []event.Account{"shop", "cafe"}},
		"all":            {[]string{"NEWS=paused", "NECTAR_STATE=paused"}, []event.Account{"shop", "cafe", "news"}},
	} {
		for _, accounts := range []bool{withAccounts, withoutAccounts} {
			cfg, wrong := load(t, accountsIn(file, append(tc.environ, "NECTAR_BASE_URL=https://social.example/mobile_api")...), accounts)
			if wrong != "" {
				t.Fatal(name, wrong)
			}
			got, err := cfg.PausedAccounts()
			if diff := cmp.Diff(tc.paused, got); diff != "" || err != nil {
				t.Error(name, diff, err)
			}
			if !accounts {
				continue
			}
			if bot := cfg.Bot(nil); len(bot.Accounts) != 3-len(tc.paused) || !bot.MayBeIdle {
				t.Errorf("%s: the bot has %d accounts", name, len(bot.Accounts))
			}
		}
	}
	if _, wrong := load(t, accountsIn("accounts:\n  shop: {email: shop@social.example, password: x, state: off}\n", "NECTAR_BASE_URL=https://social.example/mobile_api"), withAccounts); wrong !=
		"NECTAR_ACCOUNTS: accounts.yaml:2: shop: state: \"off\" is not on or paused (example: state: paused)\n" {
		t.Error(wrong)
	}
}

// Only what a bot that runs does not take over counts later.
func TestCountsLater(t *testing.T) {
	base := append([]string{"NECTAR_STORE=sqlite:a.db"}, signIn...)
	was, wrong := load(t, world{environ: base}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	for setting, want := range map[string][]string{
		"NECTAR_STORE=sqlite:b.db": {"NECTAR_STORE"}, "NECTAR_CEILING=none": {"NECTAR_CEILING"}, "NECTAR_TAKEOVER=1h": {"NECTAR_TAKEOVER"},
		"NECTAR_RETENTION=forever": {"NECTAR_RETENTION"}, "NECTAR_LIST_LIMIT=1GiB": {"NECTAR_LIST_LIMIT"}, "NECTAR_LOG_FORMAT=json": {"NECTAR_LOG_FORMAT"},
		"NECTAR_METRICS=:1": {"NECTAR_METRICS"}, "NECTAR_METRICS_HOSTS=a.example": {"NECTAR_METRICS_HOSTS"}, "NECTAR_WEBHOOK_HOSTS=a.example": {"NECTAR_WEBHOOK_HOSTS"},
		"NECTAR_SECRET_KEY=0123456789012345678901234567890123456789012345678901234567890123": {"NECTAR_SECRET_KEY"},
		"NECTAR_LOG_LEVEL=debug": nil, "NECTAR_PACE=2/s": nil, "NECTAR_PASSWORD=other": nil, "NECTAR_STATE=paused": nil, "MY_TOPIC=x": nil, "NECTAR_RULES=b": nil,
	} {
		next, wrong := load(t, world{environ: append(slices.Clip(base), setting)}, withAccounts)
		if wrong != "" {
			t.Fatal(setting, wrong)
		}
		if diff := cmp.Diff(want, was.CountsLater(next)); diff != "" {
			t.Error(setting, diff)
		}
	}
}
