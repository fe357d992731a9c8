package cmd

import (
	_ "embed" // of licences
	"io"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/spf13/cobra"
)

// licences are those of all that the program holds; a test makes the file.
//
//go:embed licences.txt
var licences string

func newVersion() *cobra.Command {
	var asJSON, asLicences bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Say which nectar this is",
		Long:    "Version says which nectar this is, from which commit and with which Go it was built; with --licences, under which licences what it holds is.",
		Example: "  nectar version --json",
		GroupID: groupCare,
		Args:    cli.UsageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := cli.ReadBuild()
			if asLicences {
				_, err := io.WriteString(cmd.OutOrStdout(), licences)
				return err
			}
			if asJSON {
				return print.WriteJSON(cmd.OutOrStdout(), b)
			}
			return print.SayLine(cmd.OutOrStdout(), "%s", b)
		},
	}
	cmd.Flags().BoolVar(&asLicences, "licences", false, "print the licences of what the program holds")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
