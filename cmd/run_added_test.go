package cmd

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/handlers"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/fx"
)

// A program's own routes answer for an account without rules, with the settings of the program. Rule files that an account gets while
// they do are told of, and change nothing before the next start.
func TestRunWithRoutesAlone(t *testing.T) {
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	p.AddAccount(emulator.Person{Username: "cafe"}, "cafe@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	dir := t.TempDir()
	put := func(accounts string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "accounts.yaml"), []byte("accounts:\n"+accounts), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shop := "  shop: { email: shop@social.example, password: hunter2, rules: " + filepath.Join(dir, "none") + " }\n"
	put(shop)
	own := bot.ProvideRoutes(func(c config.Config) []bot.Route {
		dish, _ := c.Lookup("DISH")
		return []bot.Route{handlers.On("menu", handlers.Words("menu"), handlers.Reply("Today: "+dish+"."))}
	})

	ctx, interrupt := context.WithCancel(t.Context())
	calls := make(chan os.Signal)
	log, status := &child.Output{}, make(chan int, 1)
	sh := cli.Shell{
		Args: []string{"run"}, Stdin: strings.NewReader(""), Stdout: log, Stderr: log, With: []fx.Option{own},
		Environ: append([]string{
			"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_ACCOUNTS=" + filepath.Join(dir, "accounts.yaml"), "DISH=soup",
			"NECTAR_STORE=sqlite:" + filepath.Join(dir, "nectar.db"),
		}, quick...),
		Hangup: func(func()) (<-chan os.Signal, func()) { return calls, func() {} },
	}
	go func() { status <- execute(ctx, sh) }()
	log.Await(t, "the bot is at work")
	ana := script.Actor("ana")
	asks := script.Script{Account: me, Steps: []script.Step{ana.Says("the menu, please"), ana.Expects("Today: soup.")}}
	if err := script.Play(soon(t), p, asks); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
	putRules(t, dir, "10-faq.yaml", faq)
	put(shop + "  cafe: { email: cafe@social.example, password: hunter2, rules: " + filepath.Join(dir, "rules") + " }\n")
	calls <- os.Interrupt
	log.Await(t, "the bot began without rule files, and accounts have some now: that counts from the next start")
	put(shop + strings.ReplaceAll(shop, "shop", "cafe"))
	calls <- os.Interrupt
	log.Await(t, "settings were read again: 1 account came")
	interrupt()
	if got := <-status; got != 0 {
		t.Errorf("status %d\n%s", got, log)
	}
}
