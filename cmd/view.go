package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

func addViewFlags(f *view.Flags, cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.Account, "account", "", "only this `account` (default all)")
	cmd.PersistentFlags().BoolVar(&f.JSON, "json", false, "print one JSON object per line")
}

// addPrivately adds the flag that shows what people were asked to tell in private.
func addPrivately(f *view.Flags, cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&f.Private, "private", false, "show private texts and answers, too")
}

// cursorFlag adds the flag that lets a list go on.
func cursorFlag(cmd *cobra.Command, cursor *inspect.Cursor) {
	cmd.Flags().StringVar((*string)(cursor), "cursor", "", "go on at this `place`: the next that the last line of --json says where the list was cut")
}

// waitFlag adds the flag that says how long to wait for an answer.
func waitFlag(cmd *cobra.Command, wait *time.Duration) {
	*wait = view.DefaultWait
	cmd.Flags().Var((*cli.Span)(wait), "wait", "wait so `long` for a running bot to do it; 0 does not wait")
}

// withView makes the body of a command that does something with the database of the settings.
func withView(sh cli.Shell, f *view.Flags, do func(ctx context.Context, d *view.View, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		d, err := viewOf(sh, cmd, f)
		if err != nil {
			return err
		}
		defer d.Done()
		return do(cmd.Context(), d, args)
	}
}

// viewOf opens the database of the settings.
func viewOf(sh cli.Shell, cmd *cobra.Command, f *view.Flags) (*view.View, error) {
	cfg, err := sh.SettingsWithoutAccounts(cmd)
	if err != nil {
		return nil, err
	}
	ctx := cmd.Context()
	d, err := view.OpenInspector(ctx, cfg, event.Account(f.Account), cmd.ErrOrStderr())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !cfg.Store.OnServer():
		return nil, fmt.Errorf("NECTAR_STORE: there is no database %s yet: start the bot once, or name another file", cfg.Store)
	case err != nil:
		return nil, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	known, err := view.AccountsAsked(ctx, d, event.Account(f.Account))
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	configured := view.ConfiguredAccounts(ctx, cfg, d)
	pausedInSettings, _ := cfg.PausedAccounts() // as well
	pausedInSettings = slices.DeleteFunc(pausedInSettings, func(a event.Account) bool { return f.Account != "" && string(a) != f.Account })
	shut := ""
	if d.Closed() {
		shut = "what people said is encrypted, and NECTAR_SECRET_KEY " + map[bool]string{true: "is not set", false: "is another one"}[cfg.SecretKey == ""]
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nectar: %s: it is shown as (sealed)\n", shut)
	}
	return &view.View{
		Inspector: d, Database: cfg.Store.String(), Meant: known, Configured: configured, PausedInSettings: pausedInSettings, Out: cmd.OutOrStdout(), JSON: f.JSON, Private: f.Private, Shut: shut, By: view.DeciderName(sh, f.By),
		Done: func() { _ = d.Close() }, // all that was asked for is stored
	}, nil
}

// asFlag adds the flag that says who decides.
func asFlag(cmd *cobra.Command, f *view.Flags) {
	cmd.Flags().StringVar(&f.By, "as", "", "`name` of who decides, kept with the decision (default your user name)")
}
