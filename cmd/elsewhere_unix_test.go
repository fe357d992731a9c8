//go:build unix

package cmd

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// A copy of the database on another server answers nobody until somebody says what it is; all that tell of the bot say so. Then nothing is answered twice,
// or, where nothing was lost, the bot goes on.
func TestOnAnotherServer(t *testing.T) {
	t.Parallel()
	p := practiceOn(t, schemaOn(t, pgtest.New(t)))
	asks := func(bot *child.Process, who string) {
		t.Helper()
		person := script.Actor(who)
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{person.Says("are you open?"), person.Expects(openHours)}}); err != nil {
			t.Errorf("%v\n%s", err, bot)
		}
	}
	on := p.server.Server
	copies := func() {
		t.Helper()
		to, err := pgserver.New(pgserver.Options{Careless: true, Copy: on.Dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(to.Stop)
		for i, v := range p.environ {
			p.environ[i] = strings.Replace(v, on.Dir, to.Dir, 1)
		}
		on = to
	}
	bot := p.run()
	asks(bot, "ana")
	p.does(0, "all is well", "status")
	copies()
	asks(bot, "leo")
	bot.Stop()
	writeEnv(t, p.dir, p.environ)
	const says = "the database was on another server"
	bot = p.start("run")
	bot.Await(t, says)
	if status := bot.End(); status != cli.ExitConfig || !strings.Contains(bot.String(), "NECTAR_STORE: ") {
		t.Errorf("status %d:\n%s", status, bot)
	}
	p.does(1, "the database has come to another server", "status")
	p.does(1, `"why": "database.elsewhere"`, "status", "--json")
	p.does(1, says, "doctor")
	p.does(0, "NO WORKER BEGINS: "+says, "workers")
	p.does(0, `{"elsewhere":true}`, "workers", "--json")
	p.does(0, "down", "accounts")
	p.does(0, "the next start of the bot is careful", "restored", "--as", "ines")
	p.does(1, "no worker runs", "status")
	bot = p.run()
	asks(bot, "mia")
	bot.Await(t, "a copy of the database was put back")
	p.does(1, "the database is a copy of ", "doctor")
	bot.Stop()

	copies() // with all of it
	writeEnv(t, p.dir, p.environ)
	p.does(1, "the database has come to another server", "status")
	p.does(0, "nothing was lost, and the bot goes on where it was", "restored", "--nothing-lost")
	if bot = p.run(); strings.Contains(bot.String(), "was put back") {
		t.Errorf("nothing was lost:\n%s", bot)
	}
	asks(bot, "eva")
	bot.Stop()
	if v := judge.Platform(p.platform, p.everybodyOnce()); v.Doubled != 0 {
		t.Errorf("%s\n%s", v, strings.Join(v.Details, "\n"))
	}
}
