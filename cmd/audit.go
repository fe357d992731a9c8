package cmd

import (
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/readback"
	"github.com/spf13/cobra"
)

const auditHelp = `Audit reads notifications, chats and messages back from the platform, and compares
them with what the bot has stored: what it saw, handled, and does not know
although it should. It sends nothing to anybody. Reading messages may mark them as
seen on the owner's phone; a running bot may then answer up to half a minute later.

While the bot runs, the audit borrows the bot's session and stores nothing. When no
bot runs it has the database for itself: it brings it up to date, stores sessions
that it renews, and no bot can start on it before the audit has ended.

It reads five pages a second, whatever the platform could take, and at most 1,000
chats of the list in which something happened: these take about three and a half
minutes. Chats in which the bot wrote, and which it has not read so, are read beside
it: 20,000 people that it answered take about 70 minutes. A shorter --since or one
--account takes less. Where it stands, and how long it will still take, it says on
the way.

Where the account has campaigns, its own page is read, too: 400 posts of it. What the book
says was reposted and the page does not show is missing; a repost that no campaign has
made is told.

What was there before the bot's first start is its backlog, and not missing. The
bot has to have polled for a quarter of an hour after something came, before it
counts as missing.

With --repair the bot is asked to read again what is missing: the cursors that have
passed it are set back, and what the bot does not know is handled, once. Without a
running bot it is done when one starts. To ask twice changes nothing.

Exit status: 0 nothing is missing; 1 something is, the platform refused to show a
chat, or nothing could be compared; 2 wrong command line;
78 wrong settings.`

func newAudit(sh cli.Shell) *cobra.Command {
	var flags readback.AuditFlags
	cmd := &cobra.Command{
		Use:     "audit",
		Short:   "Read the platform back and count what the bot missed",
		Long:    auditHelp,
		Example: "  nectar audit\n  nectar audit --account shop --since 7d --json",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := sh.SettingsWithStored(cmd)
			if err != nil {
				return err
			}
			return runAudit(cmd, cfg, flags)
		},
	}
	cmd.Flags().StringVar(&flags.Account, "account", "", "audit this `account` only")
	flags.Since = 24 * time.Hour
	cmd.Flags().Var((*cli.Span)(&flags.Since), "since", "how far to look back, a `time` like 24h or 7d; 0 for the beginning")
	cmd.Flags().BoolVar(&flags.JSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&flags.Repair, "repair", false, "let the bot read again what is missing")
	return cmd
}

func runAudit(cmd *cobra.Command, cfg config.Config, flags readback.AuditFlags) error {
	ctx := cmd.Context()
	accounts, err := readback.AuditedAccounts(cfg, event.Account(flags.Account))
	if err != nil {
		return err
	}
	show := print.NewProgress(cmd.ErrOrStderr())
	found, err := readback.AuditAll(ctx, cfg, accounts, flags, show)
	show.End()
	if err != nil {
		return err
	}
	if flags.Repair {
		if found.Repair, err = readback.AskRepairs(ctx, string(cfg.Store), cfg.SecretKey, found.Accounts); err != nil {
			return fmt.Errorf("ask the bot to read again what is missing: %w", err)
		}
	}
	if flags.JSON {
		err = print.WriteJSON(cmd.OutOrStdout(), found)
	} else {
		found.Print(cmd.OutOrStdout())
		if found.Repair != nil {
			found.Repair.Print(cmd.OutOrStdout(), cfg.Store.String())
		}
	}
	if err == nil && !found.OK {
		err = &cli.ExitError{Code: cli.ExitFailed}
	}
	return err
}
