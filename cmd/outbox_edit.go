package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/spf13/cobra"
)

const editHelp = `Edit gives a held action another text and lets it leave, as approve does. Without
--text your editor opens with the text as it is: the one of VISUAL or EDITOR,
otherwise vi. Leave it unchanged or empty, and nothing happens.

Without a running bot it is done when one starts.`

func newEdit(sh shell, f *deskFlags) *cobra.Command {
	var text string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:     "edit KEY",
		Short:   "Give what waits for you another text, and let it leave",
		Long:    editHelp,
		Example: "  nectar outbox edit 482913 --text \"Welcome, Ana!\"\n  EDITOR=nano nectar outbox edit 482913",
		Args: func(cmd *cobra.Command, keys []string) error {
			switch {
			case len(keys) != 1:
				return badUsage(cmd, errors.New("name one action by its number or key; nectar outbox --held lists them"))
			case text == "" && (cmd.Flags().Changed("text") || !sh.interactive()):
				return badUsage(cmd, errors.New("say with --text what is said instead; only on a terminal an editor opens"))
			}
			return nil
		},
		RunE: sh.atDesk(f, func(ctx context.Context, d *desk, keys []string) error {
			a, err := d.heldAction(ctx, keys[0])
			if err == nil && !a.Verb.Makes() {
				err = fmt.Errorf("%s has no text: it can be approved or refused as it is", a.Key)
			}
			if err == nil && text == "" {
				text, err = sh.edited(ctx, a.Text)
			}
			if err != nil {
				return err
			}
			q := event.Request{Key: a.Conversation(), Wish: event.WishEdit, Action: a.Key, Text: text}
			return d.decide(ctx, wait, []decision{{q, a.Key}})
		}),
	}
	cmd.Flags().StringVar(&text, "text", "", "what is said `instead`")
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// interactive tells whether a person sits at a terminal.
func (sh shell) interactive() bool { return isDevice(sh.stdin) && isDevice(sh.stdout) }

// edited lets a person change a text in an editor.
func (sh shell) edited(ctx context.Context, text string) (changed string, err error) {
	file, err := os.CreateTemp("", "nectar-*.txt")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.WriteString(text + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write the file for the editor: %w", err)
	}
	words := append(strings.Fields(cmp.Or(sh.variable("VISUAL"), sh.variable("EDITOR"), "vi")), file.Name())
	// An interrupt is the editor's, not ours.
	editor := exec.CommandContext(context.WithoutCancel(ctx), words[0], words[1:]...) //nolint:gosec // the person names the program
	editor.Stdin, editor.Stdout, editor.Stderr = sh.stdin, sh.stdout, sh.stderr
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

// variable returns a variable of the environment.
func (sh shell) variable(name string) string {
	for _, v := range sh.environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
