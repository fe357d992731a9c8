package cmd

import (
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/starter"
	"github.com/spf13/cobra"
)

const initHelp = `Init writes what a new bot begins with: a folder of commented rule files, with texts
in the language that people write in, all on watch, so that nothing is sent before
you say so; the schemas with which an editor completes and underlines them; and a
.env with the settings.

On a terminal it asks for what no flag says; elsewhere the flags say it all. What is not said can be filled
in later. A file that is there already is never touched: --force does without
those, and writes the others. A password is asked for, or read from standard
input with --password-stdin; it never stands on the command line.

--campaign writes nothing but a campaign to begin with, 50-campaign.yaml, into the folder
of the rule files: on watch, with one link to fill in. It asks nothing.`

func newInit(sh cli.Shell) *cobra.Command {
	var b starter.Beginning
	var campaign bool
	var account string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write rule files and settings to begin with",
		Long:  initHelp,
		Example: "  nectar init\n  nectar init --base-url https://social.example/mobile_api --email bot@social.example --timezone Europe/Lisbon\n" +
			"  nectar init --dir shop --hours \"Mon-Fri 09:00-18:00\" --hours \"Sat 10:00-14:00\"\n  nectar init --campaign",
		GroupID: groupRules,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case campaign:
				return writeCampaign(&b, sh, cmd, account)
			case account != "":
				return cli.BadUsage(cmd, starter.ErrAccountAlone)
			}
			if f, ok := sh.Stdin.(*os.File); ok && term.IsTerminal(f.Fd()) && !b.Stdin {
				if err := b.AskMissing(cmd.Context(), f, cmd.OutOrStdout(), cmd.Flags().Changed); err != nil {
					return err
				}
			}
			if b.Stdin {
				var err error
				if b.Password, err = cli.ReadSecret(cmd.Context(), sh.Stdin); err != nil {
					return err
				}
			}
			if err := b.Check(); err != nil {
				return cli.BadUsage(cmd, err)
			}
			return b.Write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.Dir, "dir", ".", "`folder` to write to")
	f.StringVar(&b.BaseURL, "base-url", "", "`address` of the platform, which ends with the part that names the mobile API")
	f.StringVar(&b.Email, "email", "", "e-mail `address` with which the bot signs in")
	f.BoolVar(&b.Stdin, "password-stdin", false, "read the password from standard input")
	f.StringVar(&b.Zone, "timezone", starter.LocalZone(), "time `zone` of your hours")
	f.StringVar(&b.Language, "language", "en", "`language` that people write in: en, es, pt, fr or de")
	f.StringArrayVar(&b.Hours, "hours", []string{"Mon-Fri 09:00-18:00"}, "when you are at work, like \"Mon-Fri 09:00-18:00\"; may be given several times")
	f.BoolVar(&campaign, "campaign", false, "write a campaign to begin with, and nothing else")
	f.StringVar(&account, "account", "", "with --campaign: the `account` whose campaign it is, where there are several")
	f.BoolVar(&b.Force, "force", false, "keep files that are there already, and write the others")
	return cmd
}
