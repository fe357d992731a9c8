// Package try is a chat with rules, and a rehearsal of campaigns: in the terminal, or by a script.
//
// Two stages take what is typed and return lines; neither knows whether a terminal or a script is before it:
//
//	terminal.go ─┐                 ┌─► Session        a chat, in a rehearse.Rehearsal (handlers/rules/rehearse)
//	script ──────┴─► tryStage.Do ─►┤
//	                               └─► tryCampaigns   slots on a clock, in cmd/internal/rehearsal
//
// Read stage.go for what both have in common, session.go and command.go for the chat, campaign.go for campaigns; files.go reads rule files again
// when they change, save.go writes what was played as a test into them, transcript.go is how it looks.
//
// What holds:
//
//   - Nothing is sent and nothing is kept, but for a test that somebody saves. The platform, the people and the clock are made up, so it can be
//     tried beside a bot that runs, and without an account.
//   - What decides is what decides in a bot: the engine, and the function of campaigns. Only what they ask about is made up.
//   - Files that do not load change nothing: the last good version stays in force, as with a bot. A chat must not end since somebody saves in
//     the middle of a line.
//   - A script is played line by line, and ends with status 1 when something that it asked for could not be done.
//
// The command nectar try runs it.
package try

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/text"
)

// DefaultPerson is who speaks unless somebody else is named.
const DefaultPerson = "guest"

// Options are what the flags of try say.
type Options struct {
	Script, As, At string
	Account        string
	Campaign       string
	Explain, JSON  bool
}

// CheckedConfig checks the flags.
func (o *Options) CheckedConfig(paths []string) (Config, error) {
	cfg := Config{Paths: paths, As: o.As, explain: o.Explain, Campaign: o.Campaign, account: event.Account(o.Account)}
	if o.At != "" {
		at, err := text.ParseWhenTime(o.At)
		if err != nil {
			return cfg, fmt.Errorf("--at %q: %w", o.At, err)
		}
		cfg.at = &at
	}
	return cfg, nil
}

// Run begins, in the terminal or with a script.
func (o *Options) Run(ctx context.Context, sh cli.Shell, cfg Config) error {
	s, err := NewStage(cfg)
	if report, ok := errors.AsType[brokenRules](err); ok && strings.Contains(report.Error(), "\n") {
		_, err := fmt.Fprintln(sh.Stderr, report)
		return &cli.ExitError{Code: cli.ExitFailed, Err: err}
	} else if err != nil {
		return err
	}
	switch {
	case o.Script != "" && o.Script != "-":
		file, err := os.Open(o.Script)
		if err != nil {
			return fmt.Errorf("read the script: %w", err)
		}
		defer func() { _ = file.Close() }() // it was only read
		return o.playScript(ctx, s, file, sh)
	case o.Script == "" && !o.JSON && cli.IsTTY(sh.Stdin) && cli.IsTTY(sh.Stdout):
		return chatInTerminal(ctx, s, sh)
	default:
		return o.playScript(ctx, s, sh.Stdin, sh)
	}
}

// playScript does what stands in a script, line by line, until it or ctx ends.
func (o *Options) playScript(ctx context.Context, s tryStage, script io.Reader, sh cli.Shell) error {
	if err := o.print(s, s.TakeLines(), sh); err != nil {
		return err
	}
	for line, err := range cli.ReadLines(ctx, script) {
		if err != nil {
			return fmt.Errorf("read the script: %w", err)
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if err := o.print(s, s.Do(line), sh); err != nil {
			return err
		}
		if s.isEnded() {
			break
		}
	}
	if s.isTroubled() {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return nil
}

// print prints what is new.
func (o *Options) print(s tryStage, lines []Line, sh cli.Shell) error {
	var err error
	for i := range lines {
		to := sh.Stdout
		if o.JSON {
			if lines[i].kind != tryTrouble {
				continue
			}
			to = sh.Stderr
		}
		_, failed := fmt.Fprintln(to, lines[i].String())
		err = errors.Join(err, failed)
	}
	for _, sc := range s.playedLines() {
		if o.JSON {
			err = errors.Join(err, print.WriteLine(sh.Stdout, sc))
		}
	}
	return err
}
