package cmd

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/plan"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
	"github.com/spf13/cobra"
)

// plannerOf opens what is there. A marketer with one file has no settings and no database: with files of their own, what is
// wrong with the settings is only said.
func plannerOf(sh cli.Shell, cmd *cobra.Command, f *view.Flags, files bool) (*plan.Planner, error) {
	p := &plan.Planner{Now: time.Now(), Read: readingOf(sh, cmd)}
	all, cfg, err := foldersFrom(sh, cmd)
	if err != nil && files {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nectar: planned without a database, since the settings cannot be read: %s\n", print.OneLine(plan.FirstLine(config.Scrub(err.Error()))))
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	p.Folders = all
	if !cli.HasDatabase(cmd.Context(), cfg) {
		return p, nil
	}
	everybody := *f
	everybody.Account = "" // an account may be written in the settings, and have done nothing yet
	p.View, err = viewOf(sh, cmd, &everybody)
	return p, err
}
