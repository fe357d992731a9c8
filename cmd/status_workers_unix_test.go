//go:build unix

package cmd

import (
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

// On a server each worker says in its row how it stands, and its accounts.
func TestStatusOfWorkers(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	bot := p.run()
	p.does(0, "all is well with ", "status")
	bot.Stop()
	p.does(cli.ExitFailed, "no worker runs", "status")
	p.does(0, "down", "accounts")

	p = newPractice(t) // without a session that is kept
	for i, v := range p.environ {
		if strings.HasPrefix(v, "NECTAR_PASSWORD=") {
			p.environ[i] = "NECTAR_PASSWORD=another"
		}
	}
	writeEnv(t, p.dir, p.environ)
	bot = p.start("run")
	for began := time.Now(); !strings.Contains(nectarIn(t, p.environ, "status", "--json").stdout, "session.refused"); {
		if time.Since(began) > patience {
			t.Fatalf("it does not say that the password is refused:\n%s", bot)
		}
	}
	p.does(cli.ExitFailed, "it cannot sign in", "status")
	p.does(0, "unwell", "accounts")
	p.does(0, "not well: ", "summary")
	bot.Stop()
}
