package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/notify"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
)

// CallTeams calls a team of whatever folder that has one of that name.
func CallTeams(ctx context.Context, out io.Writer, cfg config.Config, folders []config.RuleFolder, name string) error {
	var names []string
	var failed error
	found := false
	for _, f := range folders {
		c, err := sources.CallingOf(sources.ReadingFrom(ctx, cfg), f)
		if err != nil {
			return err
		}
		for i := range c.Teams {
			names = append(names, c.Teams[i].Name)
			if c.Teams[i].Name == name {
				found = true
				failed = errors.Join(failed, callTeam(ctx, out, cfg, &c, &c.Teams[i], f.Path))
			}
		}
	}
	if !found {
		return noTeam(names, name)
	}
	return failed
}

// callTeam sends a notice to each address of a team, and says what came back.
func callTeam(ctx context.Context, out io.Writer, cfg config.Config, c *rules.Calling, team *rules.CalledTeam, folder string) error {
	name := team.Name
	if len(team.Addresses) == 0 {
		return fmt.Errorf("the team %s has no address: write who: { %s: [\"ntfy://ntfy.sh/TOPIC\"] } in %s", name, name, filepath.Join(folder, rules.SettingsFile))
	}
	client := sources.NewCaller(c, cfg)
	defer client.Close()
	now, vain := time.Now(), false
	for j := range team.Addresses {
		a := &team.Addresses[j]
		d := notify.Digest{Notices: []notify.Notice{{
			ID: fmt.Sprintf("test/%d", now.UnixMicro()), Who: name, Kind: notify.KindTest, At: now,
			Text: "This is how the team " + name + " is called. Nobody has to do anything.",
		}}}
		said := "taken"
		if err := client.Send(ctx, &a.Address, &d); err != nil {
			vain, said = true, "FAILED: "+err.Error()
		}
		if _, err := fmt.Fprintf(out, "%s  %s\n", a.String(), print.PlainText(said, 0)); err != nil {
			return err
		}
	}
	if vain {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}

// noTeam says that there is no such team, and which one may be meant.
func noTeam(names []string, name string) error {
	if near := text.Nearest(name, names); near != "" {
		return fmt.Errorf("there is no team %q in settings.yaml; did you mean %q?", name, near)
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no team %q: settings.yaml names none under who", name)
	}
	return fmt.Errorf("there is no team %q in settings.yaml; there are %v", name, names)
}
