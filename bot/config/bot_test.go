package config_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform/session"
)

func TestBot(t *testing.T) {
	cfg, wrong := load(t, accountsIn(`
accounts:
  shop:
    email: shop@social.example
    password: hunter2
    device_type: ios
  news:
    base_url: http://news.example/mobile_api
    allow_plain_http: true
    oauth_type: google
    oauth_token: token
    poll_interval: 1s
    backlog: unread
    pace: unlimited
    concurrency: 32
`, "NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_PACE=30/m"), withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	log := slog.New(slog.DiscardHandler)
	got := cfg.Bot(log)
	skip, unread := event.Skip, event.Unread
	want := []bot.Account{
		{
			Name: "shop", BaseURL: "https://social.example/mobile_api",
			Credentials:  session.Credentials{Email: "shop@social.example", Password: hunter2, DeviceType: "ios"},
			PollInterval: 5 * time.Second, Backlog: &skip, Concurrency: 2,
			Pace: &event.Pace{Account: event.Rate{PerSecond: 0.5, Burst: 5}},
		},
		{
			Name: "news", BaseURL: "http://news.example/mobile_api", AllowPlainHTTP: true,
			Credentials:  session.Credentials{OAuthType: "google", OAuthToken: "token", DeviceType: "android"},
			PollInterval: time.Second, Backlog: &unread, Concurrency: 32, Pace: &event.Pace{},
		},
	}
	if diff := cmp.Diff(want, got.Accounts); diff != "" {
		t.Error(diff)
	}
	if got.Log != log {
		t.Error("it logs elsewhere")
	}
}

// Who sets nothing has the ceiling of any bot, and its silence after a takeover.
func TestTheCeilingOfTheSettingsIsThatOfABot(t *testing.T) {
	cfg, wrong := load(t, world{environ: signIn}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	if got := cfg.Bot(nil); got.Ceiling != bot.DefaultCeiling() || got.TakeoverFor != 12*time.Hour {
		t.Errorf("the ceiling is %+v, the silence %v", got.Ceiling, got.TakeoverFor)
	}
}

func TestThePaceOfTheSettingsIsThatOfABot(t *testing.T) {
	cfg, wrong := load(t, world{environ: signIn}, withAccounts)
	if wrong != "" {
		t.Fatal(wrong)
	}
	if diff := cmp.Diff(bot.DefaultPace(), cfg.Bot(nil).Accounts[0].Pace); diff != "" {
		t.Error(diff)
	}
}
