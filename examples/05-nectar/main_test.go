package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/cmd"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
)

// asNectar in the environment makes this test binary the example itself, or another program of its kind.
const asNectar = "NECTAR_TEST_AS_EXAMPLE"

// oven is something that no module provides.
type oven struct{}

// others are programs that bring something else than the example.
var others = map[string]fx.Option{
	"lacks an oven":    fx.Invoke(func(*oven) {}),
	"wraps alone":      bot.Wraps(bot.Wrap{Name: "through", Middleware: func(h bot.Handler) bot.Handler { return h }}),
	"welcome":          welcome.Module,
	"wrong in a field": fx.Options(welcome.Module, fx.Supply(welcome.Config{Delay: -1})),
}

func TestMain(m *testing.M) {
	switch as := os.Getenv(asNectar); as {
	case "":
		os.Exit(m.Run())
	case "the example":
		main()
	default:
		cmd.Main(others[as])
	}
}

// process is a program in a process and a folder of its own.
func process(t *testing.T, as string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a bot that should have been refused runs for ever
	t.Cleanup(cancel)
	p := exec.CommandContext(ctx, os.Args[0], args...)
	p.Dir, p.Env = t.TempDir(), []string{
		asNectar + "=" + as, "NECTAR_EMAIL=shop@social.example", "NECTAR_PASSWORD=correct horse",
		"NECTAR_BASE_URL=https://social.example/mobile_api", "NECTAR_POLL_INTERVAL=50ms", "NECTAR_PACE=unlimited",
	}
	return p
}

func TestItIsNectar(t *testing.T) {
	t.Parallel()
	out, err := process(t, "the example", "try", "--help").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "Try is a chat with your rules") {
		t.Errorf("%v: it prints\n%s", err, out)
	}
}

// What cannot be wired, or has nothing to answer by, ends the program with one line.
func TestItSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for as, c := range map[string]struct {
		args   []string
		opens  bool
		status int
		want   string
	}{
		"lacks an oven":    {nil, false, 2, "nectar: what this program adds to the bot cannot be wired: missing type: *main.oven"},
		"welcome":          {[]string{"--starter"}, false, 2, "nectar: what this program adds to the bot cannot be wired: there is another *welcome.Plugin already"},
		"wrong in a field": {nil, true, 1, "nectar: welcome.Config.Delay is -1ns: "},
		"wraps alone":      {nil, true, 2, "nectar: there is no file or folder "},
	} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			p := process(t, as, append([]string{"run"}, c.args...)...)
			out, _ := p.CombinedOutput() // a status above 0 is wanted
			said := string(out)
			if i := strings.Index(said, "nectar: "); c.opens && i > 0 {
				said = said[i:] // behind what the log says of the database
			}
			if p.ProcessState.ExitCode() != c.status || !strings.HasPrefix(said, c.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("status %d: it prints\n%s\ninstead of one line that begins with\n%s", p.ProcessState.ExitCode(), out, c.want)
			}
			if _, err := os.Stat(filepath.Join(p.Dir, "nectar.db")); !c.opens && err == nil {
				t.Error("it has made a database")
			}
		})
	}
}
