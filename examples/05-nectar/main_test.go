package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/cmd"
	"github.com/nectar-bot/nectar/examples/internal/account"
	"github.com/nectar-bot/nectar/plugins/welcome"
	"go.uber.org/fx"
)

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
	children := map[string]func(){"the example": main}
	for name, brings := range others {
		children[name] = func() { cmd.Main(brings) }
	}
	child.Main(children)
	os.Exit(m.Run())
}

func TestItIsNectar(t *testing.T) {
	t.Parallel()
	p := child.Start(t, child.Command{As: "the example", Args: []string{"try", "--help"}})
	if status := p.End(); status != 0 || !strings.HasPrefix(p.String(), "Try is a chat with your rules") {
		t.Errorf("status %d: it prints\n%s", status, p)
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
		"lacks an oven":    {nil, false, 78, "nectar: what this program adds to the bot cannot be wired: missing type: *main.oven"},
		"welcome":          {[]string{"--starter"}, false, 78, "nectar: what this program adds to the bot cannot be wired: there is another *welcome.Plugin already"},
		"wrong in a field": {nil, true, 1, "nectar: welcome.Config.Delay is -1ns: "},
		"wraps alone":      {nil, true, 78, "nectar: there is no file or folder "},
	} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			p := child.Start(t, child.Command{As: as, Args: append([]string{"run"}, c.args...), Env: account.New(t).Settings()})
			const works = "the bot is at work"
			p.Until(t, "what is wrong", func(all string) bool { return strings.Contains(all, "nectar: ") || strings.Contains(all, works) })
			if strings.Contains(p.String(), works) {
				t.Fatalf("it runs:\n%s", p)
			}
			status, said := p.End(), p.String()
			if i := strings.Index(said, "nectar: "); c.opens && i > 0 {
				said = said[i:] // behind what the log says of the database
			}
			if status != c.status || !strings.HasPrefix(said, c.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("status %d: it prints\n%s\ninstead of one line that begins with\n%s", status, p, c.want)
			}
			if _, err := os.Stat(filepath.Join(p.Dir, "nectar.db")); !c.opens && err == nil {
				t.Error("it has made a database")
			}
		})
	}
}
