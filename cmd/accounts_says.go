package cmd

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/charmbracelet/x/term"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/accounts"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

// accountSays are the flags with which somebody says what an account is like.
type accountSays struct {
	values map[string]*string // by the names of settings
	asks   bool               // for a new password
	stdin  bool               // the password stands there
	secret platform.Secret    // the password, or the token
}

// add adds the flags.
func (s *accountSays) add(cmd *cobra.Command) {
	s.values = map[string]*string{}
	for _, f := range accounts.Flags {
		s.values[f.Setting] = cmd.Flags().String(accounts.InFlags(f.Setting)[2:], "", f.Usage)
	}
	cmd.Flags().BoolVar(&s.stdin, "password-stdin", false, "read the password, or the token of --oauth-type, from standard input")
}

// addNew adds the flag that asks for another password.
func (s *accountSays) addNew(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.asks, "new-password", false, "ask for another password, or token")
}

// isSaid reports whether something is said.
func (s *accountSays) isSaid(cmd *cobra.Command) bool {
	for setting := range s.values {
		if cmd.Flags().Changed(accounts.InFlags(setting)[2:]) {
			return true
		}
	}
	return s.asks || s.stdin
}

// signsIn reports whether it is said as whom an account signs in.
func (s *accountSays) signsIn(cmd *cobra.Command) bool {
	return s.asks || s.stdin || cmd.Flags().Changed("email") || cmd.Flags().Changed("oauth-type")
}

// changedSettings returns what is said. Of the two ways to sign in the one that is named takes the place of the other.
func (s *accountSays) changedSettings(cmd *cobra.Command) accounts.Settings {
	said := accounts.Settings{}
	for setting, value := range s.values {
		if cmd.Flags().Changed(accounts.InFlags(setting)[2:]) {
			said[setting] = platform.Secret(*value)
		}
	}
	switch {
	case said["email"] != "" && said["oauth_type"] == "":
		said["oauth_type"], said["oauth_token"] = "", ""
	case said["oauth_type"] != "" && said["email"] == "":
		said["email"], said["password"] = "", ""
	}
	return said
}

// readPassword reads the password, where somebody wants that.
func (s *accountSays) readPassword(ctx context.Context, sh cli.Shell, out io.Writer) error {
	terminal, _ := sh.Stdin.(*os.File)
	switch {
	case s.stdin:
		text, err := cli.ReadSecret(ctx, sh.Stdin)
		if err != nil {
			return err
		}
		s.secret = platform.Secret(text)
	case !s.asks:
		return nil
	case terminal == nil || !term.IsTerminal(terminal.Fd()):
		return &cli.ExitError{Code: cli.ExitUsage, Err: errors.New("there is no terminal to ask for the password: --password-stdin reads it from standard input")}
	default:
		text, err := cli.ReadPassword(ctx, terminal, out, "Password, or token (it is not shown): ")
		if err != nil {
			return err
		}
		s.secret = platform.Secret(text)
	}
	if s.secret == "" {
		return &cli.ExitError{Code: cli.ExitUsage, Err: errors.New("the password is empty")}
	}
	return nil
}

// withPassword puts the password that was read to what an account says.
func (s *accountSays) withPassword(says accounts.Settings) accounts.Settings {
	if s.secret != "" {
		if says["oauth_type"] != "" {
			says["oauth_token"] = s.secret
		} else {
			says["password"] = s.secret
		}
	}
	return says
}

// readVariables returns what the variables say of the account that .env may have beside it: that of the flags, or, where they name
// none, their own.
func (s *accountSays) readVariables(sh cli.Shell, cmd *cobra.Command, said accounts.Settings) error {
	file, err := cmd.Flags().GetString(cli.EnvFileFlag)
	if err != nil {
		return err
	}
	vars, err := config.Source{Environ: append([]string{}, sh.Environ...), EnvFile: file}.Variables()
	if err != nil {
		return &cli.ExitError{Code: cli.ExitConfig, Err: err}
	}
	email, provider := vars["NECTAR_EMAIL"], vars["NECTAR_OAUTH_TYPE"]
	if said["email"] == "" && said["oauth_type"] == "" {
		said["email"], said["oauth_type"] = platform.Secret(email), platform.Secret(provider)
	}
	switch {
	case s.secret != "":
	case said["oauth_type"] != "" && (provider == "" || said["oauth_type"] == platform.Secret(provider)):
		s.secret = platform.Secret(vars["NECTAR_OAUTH_TOKEN"])
	case said["email"] != "" && (email == "" || said["email"] == platform.Secret(email)):
		s.secret = platform.Secret(vars["NECTAR_PASSWORD"])
	}
	return nil
}
