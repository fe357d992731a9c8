package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/cmd/internal/starter"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/spf13/cobra"
)

const checkHelp = `Check reads rule files, says everything that is wrong with them, and runs the tests
in them. It changes nothing and sends nothing: a running bot takes over files only
when they are without problems, and goes on with the last good ones otherwise.

PATH is a folder, of which every file that ends in .yaml is read, or one file; the
settings.yaml and replies.yaml beside it come with it. Without a PATH it is the
folder that NECTAR_RULES names, or the folder rules; and those of accounts that have
one of their own.

A hint is no problem: the files work, but perhaps not as they were meant.

Editors complete rule files and underline what is wrong in them by a schema.
--schema prints one; --schema-dir writes all of them into a folder. A file names its
schema in its first line:

  # yaml-language-server: $schema=../schema/rules.v1.json

--fix gives an id to each text of a campaign that has none, so that it stays the same
text when its words change: it shows the ids, and asks before it writes them. Nothing
else in the files changes.

Exit status: 0 no problems, 1 problems, 2 wrong command line, 78 wrong settings, or
no rules where they name some.`

type checkFlags struct {
	json      bool
	account   string
	schema    string
	schemaDir string
	fix, yes  bool
}

func newCheck(sh cli.Shell) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:     "check [PATH…]",
		Short:   "Say what is wrong with rule files, and run their tests",
		Long:    checkHelp,
		Example: "  nectar check\n  nectar check rules/20-catering-lead.yaml --json\n  nectar check --schema-dir schema",
		GroupID: groupRules,
		Args:    cli.UsageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, paths []string) error {
			switch {
			case flags.schema != "" || flags.schemaDir != "":
				return flags.writeSchemas(cmd, paths)
			case len(paths) > 0 && flags.account != "":
				return cli.BadUsage(cmd, errors.New("--account names the folder: leave out the paths"))
			case len(paths) == 0:
				folders, _, err := foldersFrom(sh, cmd)
				if err != nil {
					return err
				}
				if flags.account != "" {
					only, err := sources.FolderOf(folders, flags.account)
					if err != nil {
						return cli.BadUsage(cmd, err)
					}
					folders = []config.RuleFolder{only}
				}
				sets := make([][]string, len(folders))
				for i := range folders {
					sets[i] = []string{folders[i].Path}
				}
				return flags.run(sh, cmd, configuredBy, sets...)
			}
			return flags.run(sh, cmd, checkedBy, paths)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.json, "json", false, "print one JSON object")
	f.StringVar(&flags.account, "account", "", "the rules of this `account`, where accounts have folders of their own")
	f.StringVar(&flags.schema, "schema", "", "print the JSON Schema of `rules|settings|replies`, and check nothing")
	f.StringVar(&flags.schemaDir, "schema-dir", "", "write all schemas into this `folder`, and check nothing")
	f.BoolVar(&flags.fix, "fix", false, "give ids to the texts of campaigns that have none: it shows them, asks, and writes")
	f.BoolVarP(&flags.yes, "yes", "y", false, "with --fix: do not ask")
	cmd.MarkFlagsMutuallyExclusive("json", "schema", "schema-dir", "fix")
	return cmd
}

// run checks files, or mends them.
func (flags *checkFlags) run(sh cli.Shell, cmd *cobra.Command, by checking, sets ...[]string) error {
	if flags.fix {
		return flags.fixTexts(sh, cmd, sets...)
	}
	return flags.check(sh, cmd, by, sets...)
}

// checked is what a check found, for machines.
type checked struct {
	OK bool `json:"ok"`
	textfile.Report
}

// checking checks the files of one folder.
type checking func(sh cli.Shell, cmd *cobra.Command, paths []string) (textfile.Report, error)

// check checks files: those of each set, which is a folder, for themselves.
func (flags *checkFlags) check(sh cli.Shell, cmd *cobra.Command, by checking, sets ...[]string) error {
	var report textfile.Report
	for _, paths := range sets {
		of, err := by(sh, cmd, paths)
		if err != nil {
			return err
		}
		if len(sets) > 1 {
			for i := range of.Problems {
				of.Problems[i].File = filepath.Join(paths[0], of.Problems[i].File)
			}
		}
		report.Files += of.Files
		report.Problems = append(report.Problems, of.Problems...)
	}
	var err error
	if flags.json {
		report.Problems = append(textfile.Problems{}, report.Problems...) // a list, even of nothing
		err = print.WriteJSON(cmd.OutOrStdout(), checked{report.OK(), report})
	} else {
		err = printChecked(cmd.OutOrStdout(), report)
	}
	if err == nil && !report.OK() {
		err = &cli.ExitError{Code: cli.ExitFailed}
	}
	return err
}

// configuredBy checks the files of a folder that the settings name: it is theirs to be there.
func configuredBy(sh cli.Shell, cmd *cobra.Command, paths []string) (textfile.Report, error) {
	report, err := checkedBy(sh, cmd, paths)
	if _, published := record.SetOf(paths[0]); err != nil && !published {
		err = &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	return report, err
}

// checkedBy checks the files that a person names.
func checkedBy(sh cli.Shell, cmd *cobra.Command, paths []string) (textfile.Report, error) {
	src, err := readingOf(sh, cmd)(paths...)
	if err != nil {
		return textfile.Report{}, err
	}
	return checkedFor(sh, cmd, src, paths, aroundPaths(sh, cmd, paths)), nil
}

// checkedFor checks files of a folder for the accounts that act by them.
func checkedFor(sh cli.Shell, cmd *cobra.Command, src rules.Sources, paths []string, known []rules.Option) textfile.Report {
	v, report := rulecheck.Check(src, known...)
	if cfg, err := sh.SettingsWithoutAccounts(cmd); v != nil && err == nil { // what is wrong with settings, nectar run says
		report.Problems = append(report.Problems, sources.UnusableAddresses(v, cfg)...)
	}
	report.Problems = append(report.Problems, rules.Overlooked(otherFolders(sh, cmd), paths...)...)
	report.Problems.Sort()
	return report
}

// printChecked prints a report, in colours to a terminal.
func printChecked(w io.Writer, report textfile.Report) error {
	var b bytes.Buffer
	if _, err := report.WriteTo(&b); err != nil {
		return err
	}
	shown := print.LegibleText(b.String()) + "\n"
	if print.IsTerminal(w) {
		shown = colouredReport(shown)
	}
	_, err := io.WriteString(w, shown)
	return err
}

// reportLine is a line of a report: where, and what.
var reportLine = regexp.MustCompile(`^  ((?:line \d+|test) *)?(hint: )?`)

// colouredReport paints the names of files, and where the problems are.
func colouredReport(report string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(report, "\n"), "\n")
	var b strings.Builder
	for i, line := range lines {
		switch found := reportLine.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "   "): // goes on
			b.WriteString(line)
		case found != nil && found[2] != "":
			b.WriteString("  " + print.ColourText(found[1], "33", found[1] != "") + print.ColourText(found[2], "33", true) + line[len(found[0]):])
		case found != nil:
			b.WriteString("  " + print.ColourText(found[1], "31", found[1] != "") + line[len(found[0]):])
		case i < len(lines)-1:
			b.WriteString(print.ColourText(strings.TrimSuffix(line, "\n"), "1", true) + "\n")
		default:
			b.WriteString(line)
		}
	}
	return b.String() + "\n"
}

// writeSchemas prints a schema, or writes all of them into a folder.
func (flags *checkFlags) writeSchemas(cmd *cobra.Command, paths []string) error {
	if len(paths) > 0 {
		return cli.BadUsage(cmd, errors.New("--schema and --schema-dir check nothing: leave out the files"))
	}
	if flags.schema != "" {
		content, err := rules.Schema(flags.schema)
		if err != nil {
			return cli.BadUsage(cmd, err)
		}
		_, err = cmd.OutOrStdout().Write(content)
		return err
	}
	if err := os.MkdirAll(flags.schemaDir, 0o755); err != nil { //nolint:gosec // editors of other people may read it
		return fmt.Errorf("make the folder of the schemas: %w", err)
	}
	for _, name := range starter.SchemaNames {
		content, err := rules.Schema(name)
		if err != nil {
			return err
		}
		path := filepath.Join(flags.schemaDir, name+".v1.json")
		if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // editors of other people may read it
			return fmt.Errorf("write a schema: %w", err)
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
			return err
		}
	}
	return nil
}
