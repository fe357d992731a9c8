//go:build unix

package cmd

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgserver"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
	"github.com/nectar-bot/nectar/platform/emulator/script"
)

// hunter3 is the password of the database.
const hunter3 = "hunter3"

const openHours = "We are open from nine to six."

// practice is a bot that keeps its memory on a server, on a platform of its own. All that is printed is looked through for
// secrets.
type practice struct {
	*testing.T
	server   schema
	platform *emulator.Platform
	me       platform.UserID
	dir      string
	environ  []string
	name     string // what the database is called
	printed  []fmt.Stringer
}

// schema is a place of a test's own on a server.
type schema struct {
	*pgserver.Server
	name string
}

var schemas atomic.Int32

// newSchema makes one on the server of all tests.
func newSchema(t *testing.T) schema {
	t.Helper()
	return schemaOn(t, pgtest.Shared(t))
}

func schemaOn(t *testing.T, server *pgserver.Server) schema {
	t.Helper()
	s := schema{server, fmt.Sprint("test", schemas.Add(1))}
	if err := server.Exec(t.Context(), "CREATE SCHEMA "+s.name); err != nil {
		t.Fatal(err)
	}
	return s
}

// URL returns what a bot keeps its memory at.
func (s schema) URL(parameters string) string {
	return s.Server.URL("&search_path=" + s.name + parameters)
}

// Exec runs statements in it.
func (s schema) Exec(ctx context.Context, text string) error {
	return s.Server.Exec(ctx, "SET search_path TO "+s.name+"; "+text)
}

func newPractice(t *testing.T) *practice {
	t.Helper()
	return practiceOn(t, newSchema(t))
}

func practiceOn(t *testing.T, s schema) *practice {
	t.Helper()
	effort.Shared(t)
	p := &practice{T: t, server: s, platform: emulator.New(emulator.Config{}), dir: t.TempDir(), name: "the database postgres on " + s.Dir}
	p.me = p.platform.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p.platform)
	t.Cleanup(server.Close)
	putRules(t, p.dir, "10-faq.yaml", faq)
	p.environ = append([]string{
		"NECTAR_BASE_URL=" + server.URL + "/mobile_api", "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2, "NECTAR_LOG_LEVEL=debug",
		"NECTAR_STORE=" + strings.Replace(s.URL("&password="+hunter3), "bot@", "bot:"+hunter3+"@", 1),
		"NECTAR_SECRET_KEY=" + strings.Repeat("0f", 32), "NECTAR_RULES=" + filepath.Join(p.dir, "rules"),
	}, quick...)
	writeEnv(t, p.dir, p.environ)
	t.Cleanup(p.keepsSecrets)
	return p
}

// writeEnv writes settings into a directory.
func writeEnv(t *testing.T, dir string, environ []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(strings.Join(environ, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start starts a command in a process of its own.
func (p *practice) start(args ...string) *child.Process {
	p.Helper()
	started := start(p.T, p.dir, args...)
	p.printed = append(p.printed, started)
	return started
}

// run runs the bot, until it is at work.
func (p *practice) run() *child.Process {
	p.Helper()
	bot := p.start("run")
	bot.Await(p.T, "the bot is at work")
	return bot
}

// does runs a command beside the bot, and checks its status, and that it says something.
func (p *practice) does(status int, want string, args ...string) result {
	p.Helper()
	got := nectarIn(p.T, p.environ, args...)
	var all strings.Builder
	all.WriteString(got.stdout + got.stderr)
	p.printed = append(p.printed, &all)
	if got.status != status || !strings.Contains(all.String(), want) {
		p.Errorf("%s: status %d, and it was to say %q:\n%s", strings.Join(args, " "), got.status, want, &all)
	}
	return got
}

// keepsSecrets reports secrets in what was printed.
func (p *practice) keepsSecrets() {
	for _, text := range p.printed {
		for _, secret := range []string{hunter2, hunter3} {
			if strings.Contains(text.String(), secret) {
				p.Errorf("%q is printed:\n%s", secret, text)
			}
		}
	}
}

// everybodyOnce is what is expected of the bot: everybody who asks gets one answer.
func (p *practice) everybodyOnce() judge.Expect {
	return judge.Expect{Account: p.me, Replies: func(said emulator.Entry) []string {
		if strings.HasPrefix(said.Text, "are you open") {
			return []string{openHours}
		}
		return nil
	}}
}

// TestRunOnAServer: a bot whose memory is in PostgreSQL is killed again and again while people write, and everybody has one
// answer to each message.
func TestRunOnAServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the bot waits for half a minute before it sends again what may have left")
	}
	p := newPractice(t)
	const incarnations, each = 3, 3
	var people []platform.UserID
	for n := range 10 {
		people = append(people, p.platform.AddPerson(emulator.Person{Username: fmt.Sprint("ana", n), FirstName: "Ana"}))
	}
	asked := 0
	question := func() string { asked++; return fmt.Sprint("are you open? ", asked) }
	var bot *child.Process
	for incarnation := range incarnations {
		bot = p.run()
		for n := range each * len(people) {
			p.platform.Say(people[n%len(people)], p.me, question())
		}
		if incarnation == incarnations-1 {
			break
		}
		leo := script.Actor(fmt.Sprint("leo", incarnation)) // who has his answer while the others wait for most of theirs
		steps := []script.Step{leo.Says(question()), leo.Expects(openHours)}
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: steps}); err != nil {
			t.Errorf("%v\n%s", err, bot)
		}
		bot.Kill()
	}
	if err := judge.AwaitQuiet(t.Context(), p.platform, p.everybodyOnce(), patience); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	bot.Stop()
	if v := judge.Platform(p.platform, p.everybodyOnce()); !v.OK() || v.Replies != asked || p.platform.Logins() != 1 {
		t.Errorf("%d sign-ins, %d questions, %s\n%s", p.platform.Logins(), asked, v, strings.Join(v.Details, "\n"))
	}
}

// TestBesideABotOnAServer: workers have names of their own, and all commands work beside them.
func TestBesideABotOnAServer(t *testing.T) {
	t.Parallel()
	onlyWithAll(t)
	p := newPractice(t)
	p.does(1, "NECTAR_STORE: read "+p.name+": there is none yet: start the bot once, or name another database\n", "outbox")
	p.does(0, p.name+" was made\n", "migrate")
	p.does(0, p.name+" is up to date\n", "migrate")
	bot := p.run()
	ana := script.Actor("ana")
	if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: []script.Step{ana.Says("are you open?"), ana.Expects(openHours)}}); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	for command, says := range map[string]string{
		"run":     ": another worker of this name is running: give each a name of its own\n",
		"migrate": "nectar: NECTAR_STORE: open " + p.name + ": another process runs on this database: stop it first, or give this one a database of its own\n",
	} {
		second := p.start(command)
		if status := second.End(); status != 1 || !strings.HasSuffix(second.String(), says) {
			t.Errorf("%s: status %d:\n%s", command, status, second)
		}
	}
	p.does(1, p.name+" is in use: a bot runs on it", "doctor")
	for _, c := range []struct{ command, says string }{
		{"outbox", "nothing is to be done"},
		{"events", "opening-hours"},
		{"conversations", "@ana"},
		{"conversations show @ana", openHours},
		{"campaigns", "there are no campaigns"},
		{"plan", "there are no campaigns"},
		{"notices", "nobody was called"},
		{"lists", "nothing stands on any list"},
		{"lists add do-not-touch @ana", "@ana"},
		{"summary", "done: 1 message done"},
		{"accounts", "working"},
		{"why message:502", openHours},
		{"export @ana", `"text": "are you open?"`},
		{"audit", "nothing is missing"},
		{"replay " + filepath.Join(p.dir, "rules"), "1 the same"},
		{"pause parking", "paused"},
		{"resume parking", "parking"},
		{"forget @ana --yes", "forgot what was kept"},
	} {
		p.does(0, c.says, strings.Fields(c.command)...)
	}
	bot.Stop()
	p.does(1, p.name+" is up to date, and what people say in it is encrypted", "doctor")
	p.does(1, "FAILED   database server              fsync is off", "doctor")
	p.does(0, "asked for; no bot runs on "+p.name+" at the moment: it is done when one starts\n", "resume", "parking")
	p.does(cli.ExitConfig, "NECTAR_NEW_SECRET_KEY has no key", "rekey")
	old := p.environ
	p.environ = append(slices.Clip(old), "NECTAR_NEW_SECRET_KEY="+strings.Repeat("1e", 32))
	p.does(0, p.name+" is encrypted with the new key, and the old one opens nothing of it.\n", "rekey")
	p.environ = old
	p.does(1, "is encrypted with another NECTAR_SECRET_KEY", "migrate")
	p.does(cli.ExitUsage, "nectar: --compact is for files: the server clears "+p.name+" up by itself", "migrate", "--compact")
}

// TestServersThatNobodyCanUse: what is wrong is told in one line, and nothing is made.
func TestServersThatNobodyCanUse(t *testing.T) {
	t.Parallel()
	p := newPractice(t)
	working := p.environ
	p.environ = append(slices.Clip(working), "NECTAR_RULES="+filepath.Join(p.dir, "none"))
	p.does(cli.ExitConfig, "nectar: there is no file or folder "+filepath.Join(p.dir, "none"), "run")
	p.does(1, "there is none yet", "events")
	p.does(1, "no bot has run here", "plan")
	for _, c := range []struct{ from, to, says string }{
		{"/postgres?", "/nowhere?", "nectar: NECTAR_STORE: open the database nowhere on "},
		{"nectar-pg-", "nowhere-", "the server cannot be reached: "},
		{"&password", "&connect_timeout=" + hunter3 + "&password", "nectar: NECTAR_STORE: is no URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE"},
		{strings.Repeat("0f", 32), "", "nectar: NECTAR_SECRET_KEY: is missing: what is kept on a server is always encrypted"},
	} {
		p.environ = slices.Clone(working)
		for i := range p.environ {
			p.environ[i] = strings.Replace(p.environ[i], c.from, c.to, 1)
		}
		for _, command := range []string{"run", "migrate", "doctor", "events", "plan"} {
			if command == "run" && c.to == "nowhere-" { // it may come yet
				writeEnv(t, p.dir, p.environ)
				bot := p.start("run")
				bot.Await(t, "this worker cannot begin yet; it tries again by itself")
				bot.Await(t, c.says)
				bot.Stop()
				continue
			}
			status := 1
			if strings.HasPrefix(c.says, "nectar: NECTAR_STORE: is") || c.to == "" {
				status = cli.ExitConfig
			}
			got := p.does(status, "", command)
			if text := got.stdout + got.stderr; command == "run" && (!strings.Contains(text, c.says) || strings.Count(text, "\n") != 1) {
				t.Errorf("%s: %s", c.to, text)
			}
		}
	}
}

// TestServerGoneForAWhile: a bot whose server has died goes on when it is there again, and nothing is lost or done twice.
func TestServerGoneForAWhile(t *testing.T) {
	t.Parallel()
	p := practiceOn(t, schemaOn(t, pgtest.New(t)))
	bot := p.run()
	ana := script.Actor("ana")
	play := func(steps ...script.Step) {
		t.Helper()
		if err := script.Play(soon(t), p.platform, script.Script{Account: p.me, Steps: steps}); err != nil {
			t.Errorf("%v\n%s", err, bot)
		}
	}
	play(ana.Says("are you open? 1"), ana.Expects(openHours))
	if err := p.server.Kill(); err != nil {
		t.Fatal(err)
	}
	play(ana.Says("are you open? 2"), script.Actor("leo").Says("are you open? 3"))
	bot.Await(t, "level=ERROR")
	p.does(1, "the server cannot be reached", "outbox")
	if err := p.server.Start(); err != nil {
		t.Fatal(err)
	}
	if err := judge.AwaitQuiet(t.Context(), p.platform, p.everybodyOnce(), patience); err != nil {
		t.Errorf("%v\n%s", err, bot)
	}
	bot.Stop()
	if v := judge.Platform(p.platform, p.everybodyOnce()); !v.OK() || v.Replies != 3 {
		t.Errorf("%s\n%s\n%s", v, strings.Join(v.Details, "\n"), bot)
	}
}
