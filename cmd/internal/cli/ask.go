package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/spf13/cobra"
)

// ConfirmYes asks a person a question, and returns an error unless the answer is yes, and [ErrInterrupted] when ctx ends before there is one.
func ConfirmYes(ctx context.Context, out io.Writer, answers io.Reader, question string) error {
	if _, err := fmt.Fprintf(out, "%s [y/N] ", question); err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(NewAnswers(ctx, answers), 4096)).ReadString('\n')
	if err != nil {
		_, _ = fmt.Fprintln(out)
	}
	switch {
	case errors.Is(err, ErrInterrupted):
		return ErrInterrupted
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return &ExitError{Code: ExitFailed, Err: errors.New("nothing was changed (--yes does not ask)")}
	}
	return nil
}

// EditText lets a person change a text in an editor.
func (sh Shell) EditText(ctx context.Context, text string) (changed string, err error) {
	file, err := os.CreateTemp("", "nectar-*.txt")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.WriteString(text + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write the file for the editor: %w", err)
	}
	words := append(strings.Fields(cmp.Or(sh.GetVariable("VISUAL"), sh.GetVariable("EDITOR"), "vi")), file.Name())
	// An interrupt is the editor's, not ours.
	editor := exec.CommandContext(context.WithoutCancel(ctx), words[0], words[1:]...) //nolint:gosec // the person names the program
	editor.Stdin, editor.Stdout, editor.Stderr = sh.Stdin, sh.Stdout, sh.Stderr
	if err := editor.Run(); err != nil {
		return "", fmt.Errorf("run the editor %s: %w", words[0], err)
	}
	read, err := os.ReadFile(file.Name())
	if err != nil {
		return "", fmt.Errorf("read what the editor left: %w", err)
	}
	switch changed = strings.TrimRight(string(read), "\r\n"); {
	case strings.TrimSpace(changed) == "":
		return "", errors.New("the text is empty; nothing was decided")
	case changed == strings.TrimRight(text, "\r\n"):
		return "", errors.New("the text is as it was; nothing was decided. To let it leave as it is, approve it")
	}
	return changed, nil
}

// ExitStatus prints what err says, a line each, and returns the exit status it stands for.
func ExitStatus(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*ExitError](err)
	if !ok {
		exit = &ExitError{Code: ExitFailed, Err: err}
	}
	if exit.Err == nil {
		return exit.Code
	}
	text := err.Error()
	if _, ours := errors.AsType[config.Problems](err); !ours {
		text = config.Scrub(text) // Problems repeat no secrets, and have examples of them
	}
	for line := range strings.Lines(text) {
		_, _ = fmt.Fprintln(stderr, "nectar: "+print.OneLine(strings.TrimRight(line, "\r\n")))
	}
	return exit.Code
}

// EnvFileFlag names the flag that names the file of the settings.
const EnvFileFlag = "env-file"

// LoadSettings loads what the environment and the file of --env-file say, with the accounts, unless these stand in the database.
func (sh Shell) LoadSettings(cmd *cobra.Command) (config.Config, error) { return sh.load(cmd, true) }

// SettingsWithStored loads the same, with the accounts wherever they stand. Of what is wrong in the database it warns.
func (sh Shell) SettingsWithStored(cmd *cobra.Command) (config.Config, error) {
	cfg, err := sh.load(cmd, true)
	if err != nil || !cfg.AccountsInStore() {
		return cfg, err
	}
	r, err := inspect.OpenReader(cmd.Context(), string(cfg.Store), cfg.SecretKey)
	if errors.Is(err, record.ErrNone) {
		return cfg, nil
	}
	if err != nil {
		return cfg, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	defer func() { _ = r.Close() }() // it has read all that it wanted
	rows, err := r.StoredAccounts(cmd.Context(), record.StoredAccountQuery{})
	if err != nil {
		return cfg, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	cfg, wrong := cfg.WithStored(rows)
	if wrong != nil {
		for line := range strings.Lines(wrong.Error()) {
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nectar: an account of the database: %s\n", print.PlainText(line, 0))
		}
	}
	return cfg, nil
}

// SettingsWithoutAccounts loads the same for a command that signs in nowhere.
func (sh Shell) SettingsWithoutAccounts(cmd *cobra.Command) (config.Config, error) {
	return sh.load(cmd, false)
}

func (sh Shell) load(cmd *cobra.Command, accounts bool) (config.Config, error) {
	file, err := cmd.Flags().GetString(EnvFileFlag)
	if err != nil {
		return config.Config{}, err
	}
	cfg, err := config.Load(config.Source{Environ: append([]string{}, sh.Environ...), EnvFile: file, Accounts: accounts})
	if err != nil {
		return config.Config{}, &ExitError{Code: ExitConfig, Err: err}
	}
	return cfg, nil
}

// IsTTY reports whether somebody sits at the other end.
func IsTTY(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}
