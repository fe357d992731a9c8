package autoresponder_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/plugins/autoresponder"
)

// set says which accounts there are.
func (h *house) set(t *testing.T, folders map[event.Account]string, accounts ...event.Account) {
	t.Helper()
	if err := h.plugin.SetAccounts(context.Background(), accounts, folders); err != nil {
		t.Fatal(err)
	}
}

// Accounts that come act by the rules of their folders from their first event on, those that move by the rules of another one;
// of one that has gone nothing is left, and for the others nothing has happened.
func TestFoldersWhoseAccountsComeAndGo(t *testing.T) {
	t.Parallel()
	inHouse(t, func(h *house) {
		h.plugin.Watch(h.Bot())
		h.says("cafe", "common")
		h.says("bar", "common")
		bo := h.Account("cafe").Person("bo")
		bo.Says("talk")
		bo.Expects("common or what?")
		h.RemoveAccount("bar")
		h.set(t, map[event.Account]string{"shop": h.own}, "cafe", "shop")
		if h.plugin.Version("bar") != nil || h.plugin.Version("cafe") == nil {
			t.Error("an account that has gone has rules, or one that is there has none")
		}
		third := folderOf(t, "10-a.yaml", asks("third"), "settings.yaml", settings("own.example"))
		h.set(t, map[event.Account]string{"kiosk": third}, "kiosk", "cafe", "bar", "shop")
		if h.plugin.Version("kiosk") == nil || h.plugin.Version("bar") == nil {
			t.Error("accounts that come have no rules")
		}
		h.AddAccount("kiosk")
		h.AddAccount("bar")
		h.Advance(time.Minute)
		h.says("kiosk", "third")
		h.says("bar", "common")
		h.says("shop", "common")
		h.phone.take("own.example")
		h.Account("kiosk").Person("ana").Says("human")
		h.Advance(5 * time.Minute)
		if rings := texts(h.phone.take("own.example")); !strings.Contains(rings, "(account kiosk)") {
			t.Errorf("the team of the account that has come was told %q", rings)
		}
		write(t, third, "10-a.yaml", asks("other"))
		write(t, h.own, "10-a.yaml", asks("nobody"))
		h.Advance(time.Minute)
		h.says("kiosk", "other")
		h.says("shop", "common")
		if strings.Contains(h.Log(), "a step that the rules no longer have") {
			t.Errorf("bo's step was looked at with the rules of others\n%s", h.Log())
		}
		h.RemoveAccount("kiosk")
		h.set(t, nil, "cafe", "bar", "shop")
		write(t, third, "10-a.yaml", asks("late"))
		h.Advance(time.Minute)
		if strings.Count(h.Log(), "folder="+third) == 0 || h.plugin.Version("kiosk") != nil {
			t.Errorf("the folder that has gone:\n%s", h.Log())
		}
		write(t, h.common, "10-a.yaml", asks("last"))
		h.Advance(time.Minute)
		h.says("bar", "last")
		h.says("shop", "last")
		nothingFailed(t, h.World)
	}, "bar")
}

// Files that would not work for other accounts are told before these come, and nothing else is.
func TestObstaclesOfAccounts(t *testing.T) {
	t.Parallel()
	inHouse(t, func(h *house) {
		campaign := func(account string) string {
			return "version: 1\nstatus: ask\ncampaigns:\n  - id: spring\n    do: publish\n" + account +
				"    timezone: UTC\n    starts: 2099-03-08\n    ends: 2099-03-20\n    texts: [\"Hello\"]\n    slots: [Tue 09:30]\n"
		}
		write(t, h.common, "50-a.yaml", campaign("    account: bar\n"))
		write(t, h.own, "50-a.yaml", campaign(""))
		write(t, h.own, "60-a.yaml", "version: 1\nrules: [{ id: broken }]\n")
		h.Advance(time.Minute)
		for _, c := range []struct {
			what     string
			folders  map[event.Account]string
			accounts []event.Account
			want     string
		}{
			{"as it is", map[event.Account]string{"shop": h.own}, []event.Account{"shop", "bar", "cafe"}, ""},
			{"cafe goes", map[event.Account]string{"shop": h.own}, []event.Account{"bar", "shop"}, ""},
			{"bar goes", map[event.Account]string{"shop": h.own}, []event.Account{"cafe", "shop"}, "50-a.yaml:4: account: there is no account \"bar\". These files are those of cafe"},
			{"all go", map[event.Account]string{"shop": h.own}, []event.Account{"shop"}, ""},
			{"one more", map[event.Account]string{"shop": h.own, "kiosk": h.own}, []event.Account{"cafe", "bar", "shop", "kiosk"}, "50-a.yaml:4: account is missing: 2 accounts act by these files"},
		} {
			got, err := h.plugin.Obstacles(c.accounts, c.folders)
			if err != nil || len(got) > 0 != (c.want != "") || c.want != "" && !strings.HasPrefix(got[0].String(), c.want) {
				t.Errorf("%s: %v, %v; want %q", c.what, got, err, c.want)
			}
		}
	}, "bar")
}

// paths is a transport that notes which paths are asked for.
type paths struct {
	mu    sync.Mutex
	asked []string
}

func (p *paths) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.URL.Path)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// last returns what was asked for last.
func (p *paths) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) == 0 {
		return ""
	}
	return p.asked[len(p.asked)-1]
}

// Variables of addresses that have changed count when the plugin is told so.
func TestVariablesThatChange(t *testing.T) {
	t.Parallel()
	var secret atomic.Pointer[string]
	dir := folderOf(t, "10-a.yaml", answering("one", "first"), "settings.yaml", "version: 1\nheartbeat: https://common.example/${BEAT}\n")
	asked := &paths{}
	var plugin *autoresponder.Plugin
	bottest.Run(t, bottest.Config{Start: tuesday, Plugins: func(st bot.Store, log *slog.Logger) (_ []bottest.Plugin, err error) {
		first := "one"
		secret.Store(&first)
		plugin, err = autoresponder.New(autoresponder.Config{
			Path: dir, WebhookHosts: []string{"common.example"}, Transport: asked, Log: log,
			Lookup: func(string) (string, bool) { return *secret.Load(), true },
		}, st)
		return []bottest.Plugin{plugin}, err
	}}, func(w *bottest.World) {
		plugin.Watch(w.Bot())
		w.Advance(5 * time.Minute)
		if got := asked.last(); got != "/one" {
			t.Errorf("the heart beats at %q\n%s", got, w.Log())
		}
		second := "two"
		secret.Store(&second)
		plugin.LookUp()
		w.Advance(5 * time.Minute)
		if got := asked.last(); got != "/two" {
			t.Errorf("the variable has changed, and the heart beats at %q", got)
		}
	})
}
