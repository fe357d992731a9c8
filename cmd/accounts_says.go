package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

// accountSettings are settings of an account, by their names in the accounts file.
type accountSettings = map[string]platform.Secret

// accountSays are the flags with which somebody says what an account is like.
type accountSays struct {
	values map[string]*string // by the names of settings
	asks   bool               // for a new password
	stdin  bool               // the password stands there
	secret platform.Secret    // the password, or the token
}

// accountFlags are the settings that may stand on a command line, in order.
var accountFlags = []struct{ setting, usage string }{
	{"base_url", "`address` of the platform, which ends with the part that names the mobile API"},
	{"email", "e-mail `address` with which it signs in"},
	{"oauth_type", "`provider` of a social sign-in, instead of an e-mail address"},
	{"device_type", "`device` that it signs in as: android or ios"},
	{"allow_plain_http", "speak plain http:// with a platform that is not on this machine: `true` or false"},
	{"poll_interval", "`time` between two looks at the platform, like 5s"},
	{"backlog", "`what` to do at the very first start with what came in before: skip or unread"},
	{"pace", "most `sends`, like 20/s, 30/m, 500/h or unlimited"},
	{"concurrency", "requests in flight, a `number` from 1 to 256"},
	{"rules", "`folder` of rule files of its own, or one file"},
}

// add adds the flags.
func (s *accountSays) add(cmd *cobra.Command) {
	s.values = map[string]*string{}
	for _, f := range accountFlags {
		s.values[f.setting] = cmd.Flags().String(inFlags(f.setting)[2:], "", f.usage)
	}
	cmd.Flags().BoolVar(&s.stdin, "password-stdin", false, "read the password, or the token of --oauth-type, from standard input")
}

// addNew adds the flag that asks for another password.
func (s *accountSays) addNew(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.asks, "new-password", false, "ask for another password, or token")
}

// inFlags is what a setting is called on a command line.
func inFlags(setting string) string {
	switch setting {
	case "password":
		return "the password (asked for on a terminal; --password-stdin reads it)"
	case "oauth_token":
		return "the token of the provider (asked for on a terminal; --password-stdin reads it)"
	}
	return "--" + strings.ReplaceAll(setting, "_", "-")
}

// any tells whether something is said.
func (s *accountSays) any(cmd *cobra.Command) bool {
	for setting := range s.values {
		if cmd.Flags().Changed(inFlags(setting)[2:]) {
			return true
		}
	}
	return s.asks || s.stdin
}

// signsIn tells whether it is said as whom an account signs in.
func (s *accountSays) signsIn(cmd *cobra.Command) bool {
	return s.asks || s.stdin || cmd.Flags().Changed("email") || cmd.Flags().Changed("oauth-type")
}

// changes returns what is said. Of the two ways to sign in the one that is named takes the place of the other.
func (s *accountSays) changes(cmd *cobra.Command) accountSettings {
	said := accountSettings{}
	for setting, value := range s.values {
		if cmd.Flags().Changed(inFlags(setting)[2:]) {
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

// ask reads the password, where somebody wants that.
func (s *accountSays) ask(sh shell, out io.Writer) error {
	terminal, _ := sh.stdin.(*os.File)
	switch {
	case s.stdin:
		text, err := io.ReadAll(io.LimitReader(sh.stdin, 4096))
		if err != nil {
			return fmt.Errorf("read the password: %w", err)
		}
		s.secret = platform.Secret(strings.TrimRight(string(text), "\r\n"))
	case !s.asks:
		return nil
	case terminal == nil || !term.IsTerminal(terminal.Fd()):
		return &exitError{exitUsage, errors.New("there is no terminal to ask for the password: --password-stdin reads it from standard input")}
	default:
		_, _ = fmt.Fprint(out, "Password, or token (it is not shown): ")
		text, err := term.ReadPassword(terminal.Fd())
		_, _ = fmt.Fprintln(out)
		if err != nil {
			return fmt.Errorf("read the password: %w", err)
		}
		s.secret = platform.Secret(text)
	}
	if s.secret == "" {
		return &exitError{exitUsage, errors.New("the password is empty")}
	}
	return nil
}

// with puts the password that was read to what an account says.
func (s *accountSays) with(says accountSettings) accountSettings {
	if s.secret != "" {
		if says["oauth_type"] != "" {
			says["oauth_token"] = s.secret
		} else {
			says["password"] = s.secret
		}
	}
	return says
}

// variables returns what the variables say of the account that .env may have beside it: that of the flags, or, where they name
// none, their own.
func (s *accountSays) variables(sh shell, cmd *cobra.Command, said accountSettings) error {
	file, err := cmd.Flags().GetString(envFileFlag)
	if err != nil {
		return err
	}
	vars, err := config.Source{Environ: append([]string{}, sh.environ...), EnvFile: file}.Variables()
	if err != nil {
		return &exitError{exitUsage, err}
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
