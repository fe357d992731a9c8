package cmd

import (
	"errors"
	"fmt"
	"io"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/spf13/cobra"
)

const initHelp = `Init writes what a new bot begins with: a folder of commented rule files, with texts
in the language that people write in, all on watch, so that nothing is sent before
you say so; the schemas with which an editor completes and underlines them; and a
.env with the settings.

On a terminal it asks; elsewhere the flags say it. What is not said can be filled
in later. A file that is there already is never touched: --force does without
those, and writes the others. A password is asked for, or read from standard
input with --password-stdin; it never stands on the command line.

--campaign writes nothing but a campaign to begin with, 50-campaign.yaml, into the folder
of the rule files: on watch, with one link to fill in. It asks nothing.`

// beginning is what a new bot is to be made of.
type beginning struct {
	dir      string
	baseURL  string
	email    string
	password string
	zone     string
	language string
	hours    []string
	stdin    bool // the password stands there
	force    bool
}

func newInit(sh shell) *cobra.Command {
	var b beginning
	var campaign bool
	var account string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write rule files and settings to begin with",
		Long:  initHelp,
		Example: "  nectar init\n  nectar init --base-url https://social.example/mobile_api --email bot@social.example --timezone Europe/Lisbon\n" +
			"  nectar init --dir shop --hours \"Mon-Fri 09:00-18:00\" --hours \"Sat 10:00-14:00\"\n  nectar init --campaign",
		GroupID: groupRules,
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case campaign:
				return b.writeCampaign(sh, cmd, account)
			case account != "":
				return badUsage(cmd, errAccountAlone)
			}
			if f, ok := sh.stdin.(*os.File); ok && term.IsTerminal(f.Fd()) && !b.stdin {
				if err := b.ask(f, cmd.OutOrStdout()); err != nil {
					return err
				}
			}
			if b.stdin {
				password, err := io.ReadAll(io.LimitReader(sh.stdin, 4096))
				if err != nil {
					return fmt.Errorf("read the password: %w", err)
				}
				b.password = strings.TrimRight(string(password), "\r\n")
			}
			if err := b.check(); err != nil {
				return badUsage(cmd, err)
			}
			return b.write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.dir, "dir", ".", "`folder` to write to")
	f.StringVar(&b.baseURL, "base-url", "", "`address` of the platform, which ends with the part that names the mobile API")
	f.StringVar(&b.email, "email", "", "e-mail `address` with which the bot signs in")
	f.BoolVar(&b.stdin, "password-stdin", false, "read the password from standard input")
	f.StringVar(&b.zone, "timezone", localZone(), "time `zone` of your hours")
	f.StringVar(&b.language, "language", "en", "`language` that people write in: en, es, pt, fr or de")
	f.StringArrayVar(&b.hours, "hours", []string{"Mon-Fri 09:00-18:00"}, "when you are at work, like \"Mon-Fri 09:00-18:00\"; may be given several times")
	f.BoolVar(&campaign, "campaign", false, "write a campaign to begin with, and nothing else")
	f.StringVar(&account, "account", "", "with --campaign: the `account` whose campaign it is, where there are several")
	f.BoolVar(&b.force, "force", false, "keep files that are there already, and write the others")
	return cmd
}

// localZone returns the time zone of this machine, when it has a name.
func localZone() string {
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			return name
		}
	}
	if name, err := os.ReadFile("/etc/timezone"); err == nil {
		if _, err := text.ParseZone(strings.TrimSpace(string(name))); err == nil {
			return strings.TrimSpace(string(name))
		}
	}
	return "UTC"
}

// checkEmail says what is wrong with an e-mail address; an empty one is filled in later.
func checkEmail(address string) error {
	if address == "" {
		return nil
	}
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || !strings.Contains(address[strings.LastIndex(address, "@"):], ".") {
		return fmt.Errorf("%q is no e-mail address: write one like bot@social.example", address)
	}
	return nil
}

// check says what is wrong with what was said.
func (b *beginning) check() error {
	if _, err := text.ParseZone(b.zone); err != nil {
		return fmt.Errorf("--timezone: %w", err)
	}
	if err := checkEmail(b.email); err != nil {
		return fmt.Errorf("--email: %w", err)
	}
	if !knownLanguage(b.language) {
		return fmt.Errorf("--language %q is not known: write en, es, pt, fr or de", b.language)
	}
	if len(b.hours) == 0 {
		return errors.New("--hours: say when you are at work, like \"Mon-Fri 09:00-18:00\"")
	}
	for _, h := range b.hours {
		if _, err := text.ParseOpening(h); err != nil {
			return fmt.Errorf("--hours: %w", err)
		}
	}
	for flag, value := range map[string]string{"--base-url": b.baseURL, "--email": b.email, "the password": b.password} {
		if strings.ContainsAny(value, "\r\n'") {
			return fmt.Errorf("%s must not have line ends or quotes in it", flag)
		}
	}
	return nil
}

// write writes the files, and says what to do next.
func (b *beginning) write(out io.Writer) error {
	files, err := b.files()
	if err != nil {
		return err
	}
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(b.dir, f.path)); err == nil {
			there = append(there, f.path)
		}
	}
	if len(there) > 0 && !b.force {
		return fmt.Errorf("%s: already there, and nothing was written; with --force they stay, and what is missing is written", strings.Join(there, ", "))
	}
	for _, f := range files {
		if err := f.write(b.dir, out); err != nil {
			return err
		}
	}
	src, err := rules.ReadSources(filepath.Join(b.dir, "rules"))
	if err != nil {
		return err
	}
	_, report := rules.Check(src)
	_, _ = fmt.Fprintln(out)
	if _, err := report.WriteTo(out); err != nil {
		return err
	}
	_, err = io.WriteString(out, b.next())
	return err
}

// next says what to do next.
func (b *beginning) next() string {
	steps := []string{
		"nectar try                 chat with the rules in the terminal; nothing leaves it",
		"nectar check               after every change: what is wrong, with the line",
		"nectar doctor              whether the platform can be reached, and understands us",
		"nectar run                 the bot; everything is on watch, so it sends nothing",
		"nectar events              what happened, and what it would have done",
	}
	if b.baseURL == "" || b.email == "" || b.password == "" {
		steps = append([]string{".env                       fill in what is empty there"}, steps...)
	}
	steps = append(steps, "status: ask, then live     in a rule file, once you like what you see")
	return "\nNext:\n  " + strings.Join(steps, "\n  ") + "\n"
}
