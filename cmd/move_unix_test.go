//go:build unix

package cmd

import (
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/move"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// onFile returns the practice with its memory in a file.
func (p *practice) onFile(path string) *practice {
	p.Helper()
	f := *p
	f.environ, f.name = []string{"NECTAR_STORE=sqlite:" + path}, path
	for _, v := range p.environ {
		if !strings.HasPrefix(v, "NECTAR_STORE=") {
			f.environ = append(f.environ, v)
		}
	}
	f.dir = p.TempDir()
	putRules(p.T, f.dir, "10-faq.yaml", faq)
	writeEnv(p.T, f.dir, f.environ)
	f.printed = nil
	f.Cleanup(f.keepsSecrets)
	return &f
}

// url is that of the practice's database.
func (p *practice) url() string {
	for _, v := range p.environ {
		if url, ok := strings.CutPrefix(v, "NECTAR_STORE="); ok {
			return url
		}
	}
	return ""
}

// TestMoveABot: a bot that has lived on a file goes on where all was moved, and back, and nobody is answered twice or not at all.
func TestMoveABot(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	server := newPractice(t)
	file := server.onFile(filepath.Join(t.TempDir(), "shop.db"))
	asked := 0
	ana, leo := script.Actor("ana"), script.Actor("leo")
	incarnations := func(p *practice) {
		t.Helper()
		bot := p.run()
		asked++
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
			t.Errorf("%v\n%s", err, bot)
		}
		if err := judge.AwaitQuiet(t.Context(), p.platform, p.everybodyOnce(), patience); err != nil {
			t.Errorf("%v\n%s", err, bot)
		}
		bot.Stop()
		asked++ // while nobody is there
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{leo.Says("are you open now?")}}); err != nil {
			t.Error(err)
		}
	}
	incarnations(file)
	file.does(0, "@ana", "lists", "add", "do-not-touch", "@ana")
	server.does(0, "1 account with ", "move", "sqlite:"+file.name, "--dry-run")
	file.does(2, "NECTAR_STORE is "+file.name+" itself", "move", "sqlite:"+file.name)
	server.does(0, "set NECTAR_STORE=postgres://bot@/postgres?host=", "move", "sqlite:"+file.name)
	server.does(0, "all of it is in "+server.name+" already", "move", "sqlite:"+file.name)

	moved := "it was moved to " + server.name + " on "
	file.does(1, "nectar: NECTAR_STORE: open "+file.name+": "+moved, "run")
	file.does(1, moved, "migrate")
	file.does(1, moved, "lists", "add", "do-not-touch", "@leo")
	file.does(0, moved, "events")
	server.does(0, "@ana", "lists", "do-not-touch")
	incarnations(server)

	file.does(0, "set NECTAR_STORE=sqlite:"+file.name, "move", server.url(), "sqlite:"+file.name)
	server.does(1, "it was moved to "+file.name, "run")
	incarnations(file)
	bot := file.run()
	if err := judge.AwaitQuiet(t.Context(), file.platform, file.everybodyOnce(), patience); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	bot.Stop()
	if v := judge.Platform(file.platform, file.everybodyOnce()); !v.OK() || v.Replies != asked || file.platform.Logins() != 1 {
		t.Errorf("%d sign-ins, %d questions, %s\n%s", file.platform.Logins(), asked, v, strings.Join(v.Details, "\n"))
	}
	if len(server.printed) == 0 || len(file.printed) == 0 {
		t.Error("nothing was looked through for secrets")
	}
}

// TestMoveIsKilled: a move that is killed in the middle lets the bot run where it ran, and not where half of it is; it goes on
// when it runs again, or is called off.
func TestMoveIsKilled(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	server := newPractice(t)
	file := server.onFile(filepath.Join(t.TempDir(), "shop.db"))
	file.does(0, "was made", "migrate")
	const rows = 60_000
	fillEvents(t, file.name, "shop", rows)
	kill := func() {
		t.Helper()
		p := server.start("move", "sqlite:"+file.name)
		for by := soon(t); ; {
			r, err := inspect.OpenReader(t.Context(), server.url(), "")
			if err == nil {
				err = errors.Join(r.Arriving(t.Context()), r.Close())
			}
			if _, arriving := errors.AsType[*record.ArrivingError](err); arriving {
				break
			}
			if by.Err() != nil {
				t.Fatal(p)
			}
		}
		p.Kill()
	}
	kill()
	half := "what was to be moved into it from " + file.name + " has not arrived as a whole (account shop): run nectar move again"
	server.does(1, half, "run")
	server.does(0, half, "outbox")
	file.does(0, "is up to date", "migrate")
	server.does(0, "is deleted; it is where it was", "move", "--cancel")
	server.does(0, "is up to date", "migrate")
	kill()
	got := server.does(0, "", "move", "sqlite:"+file.name, "--json")
	var told move.MovedJSON
	if err := json.Unmarshal([]byte(got.stdout), &told); err != nil {
		t.Fatal(err)
	}
	if told.Rows != rows || told.To != server.name || !told.From[0].Whole || strings.Contains(got.stdout, hunter3) {
		t.Errorf("it says %+v", told)
	}
	server.does(0, "is up to date", "migrate")
	file.does(1, "it was moved to "+server.name, "migrate")
}

// TestMoveOneAccount: an account that has gone alone runs where it is, and nowhere else; the others go on where they were.
func TestMoveOneAccount(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	server := newPractice(t)
	file, other := server.onFile(filepath.Join(t.TempDir(), "shop.db")), server.onFile(filepath.Join(t.TempDir(), "more.db"))
	for _, f := range []*practice{file, other} {
		f.does(0, "was made", "migrate")
		fillEvents(t, f.name, "main", 10)
	}
	fillEvents(t, file.name, "cafe", 20)
	server.does(1, "the account main is in "+file.name+" and in "+other.name, "move", "sqlite:"+file.name, "sqlite:"+other.name, server.url())
	server.does(1, "accounts bar, bistro is in none", "move", "sqlite:"+file.name, "--account", "bar", "--account", "bistro")
	server.does(0, "1 account with 10 rows moved to", "move", "sqlite:"+file.name, "--account", "main")
	moved := "the account main was moved to " + server.name
	file.does(1, "nectar: NECTAR_STORE: "+file.name+": "+moved, "run")
	file.does(1, moved, "events", "--account", "main")
	file.does(0, "is up to date", "migrate")
	server.does(1, "the account main is in "+server.name+" already", "move", "sqlite:"+other.name)
	server.does(0, "1 account with 20 rows moved to", "move", "sqlite:"+file.name)
	file.does(1, "it was moved to "+server.name, "migrate")
	wrong := append([]string{}, server.environ...)
	for i, v := range wrong {
		if strings.HasPrefix(v, "NECTAR_SECRET_KEY=") {
			wrong[i] = "NECTAR_SECRET_KEY=" + strings.Repeat("1e", 32)
		}
	}
	if got := nectarIn(t, wrong, "move", server.url(), "sqlite:"+filepath.Join(t.TempDir(), "new.db")); got.status != 1 || !strings.Contains(got.stderr, "encrypted with another NECTAR_SECRET_KEY") {
		t.Errorf("with another key: %+v", got)
	}
}

// fillEvents lets an account in a file have many events.
func fillEvents(t *testing.T, path string, account event.Account, rows int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
		INSERT INTO event SELECT ?, ?, 1, n, n % 1000, 'message', 'Ana', 'ana', 'are you open? ' || n, '', 0, '', 1, 0, 'handled', 1, 1, 'rules', 'handled', '', 0, '', '', '', '', 0 FROM n`, rows, account.Shard(), string(account))
	if err != nil {
		t.Fatal(err)
	}
}
