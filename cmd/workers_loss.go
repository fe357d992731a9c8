package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/spf13/cobra"
)

const acceptLossHelp = `Accept-loss lets workers begin again after the database has lost what it had
confirmed: a standby took over that did not have the last commits yet, or an old copy
was put back. The worker that finds that stops all others, since they would send again
what was sent already, and nothing of the store says so any more.

Look first: nectar audit compares what the platform has with what the database knows.
Who accepts it, when and why, is kept.`

func newAcceptLoss(sh shell) *cobra.Command {
	var f deskFlags
	why := ""
	cmd := &cobra.Command{
		Use:     "accept-loss",
		Short:   "Let workers begin again after the database has lost something",
		Long:    acceptLossHelp,
		Example: `  nectar workers accept-loss --why "audit: three answers of bot-2 were lost, nothing is open"`,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sh.onBoard(cmd, func(ctx context.Context, b *store.Board, database string) error {
				l, err := b.AcceptLoss(ctx, decider(sh, f.by), why)
				switch {
				case err != nil:
					return fmt.Errorf("NECTAR_STORE: %w", err)
				case l == nil:
					return &exitError{exitUsage, fmt.Errorf("no worker has found that %s has lost anything", database)}
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "accepted: workers may begin again; start those that have ended\n")
				return err
			})
		},
	}
	asFlag(cmd, &f)
	cmd.Flags().StringVar(&why, "why", "", "`reason`, kept with the decision")
	return cmd
}

// printLoss tells of a loss that keeps workers from beginning, and of the last one that was accepted if that was asked for.
func printLoss(ctx context.Context, out io.Writer, b *store.Board, all, asJSON bool) error {
	open, accepted, err := b.Loss(ctx)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	if !all {
		accepted = nil
	}
	if asJSON {
		for _, l := range []*record.LostCommits{open, accepted} {
			if l != nil {
				err = errors.Join(err, printLine(out, map[string]*record.LostCommits{"lost_commits": l}))
			}
		}
		return err
	}
	if accepted != nil {
		_, err = fmt.Fprintf(out, "the database had lost what it had confirmed, as %s found %s; accepted%s %s%s\n\n", accepted.Worker, when(accepted.At), by(accepted.By), when(accepted.AcceptedAt), reasoned(accepted.Why))
	}
	if err == nil && open != nil {
		_, err = fmt.Fprintf(out, "THE DATABASE HAS LOST WHAT IT HAD CONFIRMED, as %s found %s: no worker begins.\nCompare with nectar audit what was sent; then nectar workers accept-loss\n\n", open.Worker, when(open.At))
	}
	return err
}

// reasoned says why, behind what was decided.
func reasoned(why string) string {
	if why == "" {
		return ""
	}
	return ": " + plain(why, mostName*2)
}
