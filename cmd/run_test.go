package cmd

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/run"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/script"
	"go.uber.org/fx"
)

// quick are settings of a bot that need not be polite.
var quick = []string{"NECTAR_POLL_INTERVAL=50ms", "NECTAR_PACE=unlimited", "NECTAR_CONCURRENCY=8"}

func TestRunIsWired(t *testing.T) {
	for _, starter := range []bool{true, false} {
		r := &run.Reloader{Starter: starter, Halt: func() {}}
		r.NewLogger(io.Discard)
		if err := fx.ValidateApp(fx.NopLogger, r.BotModules(r.Began.Bot(r.Log), func() {})); err != nil {
			t.Error(err)
		}
	}
}

// running is "nectar run" on p, in this process.
func running(t *testing.T, base string, extra ...string) (log *child.Output, end func() int) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	log = &child.Output{}
	status := make(chan int, 1)
	args := []string{"run"}
	if !slices.ContainsFunc(extra, func(s string) bool { return strings.HasPrefix(s, "NECTAR_RULES=") }) {
		args = append(args, "--starter")
	}
	environ := append(append([]string{
		"NECTAR_BASE_URL=" + base, "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=" + hunter2,
		"NECTAR_STORE=sqlite:" + filepath.Join(t.TempDir(), "nectar.db"),
	}, quick...), extra...)
	go func() {
		status <- execute(ctx, cli.Shell{Args: args, Environ: environ, Stdin: strings.NewReader(""), Stdout: log, Stderr: log})
	}()
	return log, func() int {
		interrupt()
		return <-status
	}
}

func TestTheStarterBot(t *testing.T) {
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	menu := p.Post(me, "spring menu")
	p.AddPerson(emulator.Person{Username: "ana", FirstName: "Ana", LastName: "Lima"})
	server := httptest.NewServer(p)
	defer server.Close()
	log, end := running(t, server.URL+"/mobile_api")
	log.Await(t, "the bot is at work")

	ana, leo := script.Actor("ana"), script.Actor("leo")
	if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{
		ana.Says("are you open?"),
		ana.Expects("Thanks for writing, Ana! This is an automatic answer; a person reads it soon."),
		ana.Says("hello?"), // within 12 hours: no second automatic answer
		ana.Says(" /HELP"),
		ana.Expects("I understand /help"),
		leo.Follows(),
		leo.Expects("Leo"),
		leo.Reposts(menu),
		leo.Expects("Thank"),
	}}); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
	if n := strings.Count(log.String(), run.StarterSays); n != 1 {
		t.Errorf("it says %d times what it is", n)
	}
}

func TestAPersonWithoutANameIsAFriend(t *testing.T) {
	p := emulator.New(emulator.Config{})
	me := p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	p.AddPerson(emulator.Person{Username: "nobody"})
	server := httptest.NewServer(p)
	defer server.Close()
	log, end := running(t, server.URL+"/mobile_api")
	log.Await(t, "the bot is at work")
	nobody := script.Actor("nobody")
	if err := script.Play(soon(t), p, script.Script{Account: me, Steps: []script.Step{
		nobody.Says("hello"), nobody.Expects("Thanks for writing, friend!"),
	}}); err != nil {
		t.Error(err)
	}
	if status := end(); status != 0 {
		t.Errorf("status %d\n%s", status, log)
	}
}

func TestRunThatCannotSignIn(t *testing.T) {
	p := emulator.New(emulator.Config{})
	p.AddAccount(emulator.Person{Username: "shop"}, "shop@social.example", hunter2)
	server := httptest.NewServer(p)
	defer server.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for name, c := range map[string]struct{ base, setting, want string }{
		"wrong password": {server.URL + "/mobile_api", "NECTAR_PASSWORD=swordfish", "check the e-mail address and the password"},
		"a web page":     {server.URL + "/elsewhere", "", "a web page answers, not the mobile API"},
		"unreachable":    {gone.URL + "/mobile_api", "", "nothing answers at that address"},
	} {
		t.Run(name, func(t *testing.T) {
			log, end := running(t, c.base, c.setting)
			log.Await(t, "the account cannot be polled yet; the bot keeps trying")
			if status := end(); status != 0 {
				t.Errorf("status %d\n%s", status, log)
			}
			if n := strings.Count(log.String(), "the account cannot be polled yet"); n != 1 {
				t.Errorf("it says %d times that it cannot go on", n)
			}
			if !strings.Contains(log.String(), c.want) {
				t.Errorf("it does not say %q:\n%s", c.want, log)
			}
			for _, secret := range []string{hunter2, "swordfish"} {
				if strings.Contains(log.String(), secret) {
					t.Errorf("the password is logged:\n%s", log)
				}
			}
		})
	}
}

func TestRunWithWrongSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	got := nectarIn(t, []string{"NECTAR_BASE_URL=social.example", "NECTAR_EMAIL=bot@social.example"}, "run")
	want := result{cli.ExitConfig, "", "nectar: NECTAR_BASE_URL: is not an address that begins with https:// (example: NECTAR_BASE_URL=https://social.example/mobile_api)\n" +
		"nectar: NECTAR_PASSWORD: is missing (example: NECTAR_PASSWORD='correct horse')\n"}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Error(diff)
	}
	if got := nectar(t, "run", "--env-file", "nowhere.env"); got.status != cli.ExitConfig || !strings.HasPrefix(got.stderr, "nectar: nowhere.env: cannot be read: ") {
		t.Errorf("%+v", got)
	}
}

func TestArrivals(t *testing.T) {
	log, lines := capture()
	a := run.NewArrivals([]bot.Account{{Name: "shop"}, {Name: "news"}, {Name: "late"}}, log)
	down := &platform.Unreachable{Err: errors.New("down")}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { a.NotePoll("shop", event.PollResult{}, nil) }, ""},
		{func() { a.NotePoll("late", event.PollResult{}, context.Canceled) }, ""},
		{func() { a.NotePoll("late", event.PollResult{}, down) }, `msg="the account cannot be polled yet; the bot keeps trying, and nectar doctor says more" account=late`},
		{func() { a.NotePoll("late", event.PollResult{}, down) }, ""},
		{func() { a.NotePoll("news", event.PollResult{}, nil) }, `msg="the bot is at work" accounts="[news shop]"`},
		{func() { a.NotePoll("shop", event.PollResult{}, down) }, ""},
		{func() { a.NotePoll("late", event.PollResult{}, nil) }, `msg="the bot is at work" accounts=[late]`},
		{func() { a.NotePoll("late", event.PollResult{}, down) }, ""},
		{func() { a.ExpectAccount("cafe"); a.ExpectAccount("bar"); a.ExpectAccount("bar") }, ""},
		{func() { a.NotePoll("cafe", event.PollResult{}, nil) }, ""},
		{func() { a.ForgetAccount("bar") }, `msg="the bot is at work" accounts=[cafe]`},
		{func() {
			a.ForgetAccount("cafe")
			a.NotePoll("cafe", event.PollResult{}, nil)
			a.NotePoll("bar", event.PollResult{}, nil)
		}, ""},
		{func() { a.ExpectAccount("cafe"); a.NotePoll("cafe", event.PollResult{}, nil) }, `msg="the bot is at work" accounts=[cafe]`},
	} {
		lines.Reset()
		step.do()
		if got := lines.String(); !strings.Contains(got, step.want) || (step.want == "") != (got == "") {
			t.Errorf("logged %q, want %q", got, step.want)
		}
	}
}

func TestDifferenceInWords(t *testing.T) {
	two := []config.Account{{Name: "shop"}, {Name: "cafe"}}
	for want, d := range map[string]run.Difference{
		"no account came, went or changed":          {},
		"1 account came, 1 went, 1 changed":         {Came: two[:1], Gone: []event.Account{"news"}, Changed: two[1:]},
		"2 accounts changed":                        {Changed: two},
		"1 account went, 2 cannot be taken up yet":  {Gone: []event.Account{"news"}, Failed: []event.Account{"shop", "cafe"}},
		"2 accounts came, 1 cannot be taken up yet": {Came: two, Failed: []event.Account{"news"}},
	} {
		if got := d.String(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
