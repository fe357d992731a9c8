package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/spf13/cobra"
)

const reviewHelp = `Review asks about each thing that waits for approval: slots of campaigns in their order,
then those that have waited longest. Answer with a letter:

  a  approve: it leaves
  e  edit: it leaves with another text. On a terminal your editor opens, otherwise the
     next line is the text. Where several texts wait together, add the number of one
  r  refuse: it is taken back
  s  skip: it goes on waiting
  q  quit: all that is left goes on waiting

The answers come from the terminal, from a pipe, or from the file that --script names.`

// review walks through what waits for approval.
type review struct {
	sh      shell
	list    actionList
	script  string
	wait    time.Duration
	answers *bufio.Reader
	typed   bool // the answers come from a terminal
}

func newReview(sh shell, f *deskFlags) *cobra.Command {
	r := review{sh: sh}
	cmd := &cobra.Command{
		Use:     "review",
		Short:   "Walk through what waits for approval, and decide about each",
		Long:    reviewHelp,
		Example: "  nectar outbox review\n  nectar outbox review --rule welcome-followers --as ines\n  printf 'a\\nr\\n' | nectar outbox review",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return badUsage(cmd, errors.New("review goes through all that waits: choose with --rule, --campaign or --peer"))
			case f.json:
				return badUsage(cmd, errors.New("review is for people; nectar outbox --needs-approval --json is for machines"))
			}
			return nil
		},
		RunE: sh.atDesk(f, r.run),
	}
	cmd.Flags().StringVar(&r.list.rule, "rule", "", "only what the rule with this `id` decided")
	cmd.Flags().StringVar(&r.list.rule, "campaign", "", "only slots of the campaign with this `id`")
	cmd.Flags().StringVar(&r.list.peer, "peer", "", "only about this `person`: @name or number")
	cmd.Flags().StringVar(&r.script, "script", "", "a `file` with the answers, a line each")
	waitFlag(cmd, &r.wait)
	asFlag(cmd, f)
	return cmd
}

func (r *review) run(ctx context.Context, d *desk, _ []string) (err error) {
	in := r.sh.stdin
	r.typed = r.sh.interactive()
	if r.script != "" {
		file, failed := os.Open(r.script)
		if failed != nil {
			return fmt.Errorf("read the answers: %w", failed)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		in, r.typed = file, false
	}
	r.answers = bufio.NewReader(in)
	bundles, w, err := r.read(ctx, d)
	if err != nil {
		return err
	}
	decided := 0
	vain := false
	for i := range bundles {
		if bundles[i].asked(w) != nil {
			continue
		}
		done, err := r.ask(ctx, d, bundles[i])
		var failed *exitError
		switch {
		case errors.Is(err, errQuit):
			return r.left(d, decided, len(bundles)-i, vain)
		case errors.As(err, &failed): // it was told
			vain = true
		case err != nil:
			return err
		}
		if done {
			decided++
		}
	}
	return r.left(d, decided, len(bundles)-decided, vain)
}

// read returns what waits: slots of campaigns in their order, then those that have waited longest.
func (r *review) read(ctx context.Context, d *desk) ([]bundle, waiting, error) {
	r.list.approval, r.list.limit = true, sifted
	deeds, err := r.list.read(ctx, d)
	if err == nil {
		err = d.name(ctx, deeds)
	}
	if err == nil {
		err = d.questions(ctx, deeds)
	}
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(deeds)
	bundles, _ := waitTogether(deeds)
	w, err := d.waiting(ctx)
	return bundles, w, err
}

// errQuit ends a review.
var errQuit = errors.New("quit")

// left says how much was decided, and how much waits.
func (r *review) left(d *desk, decided, waits int, vain bool) error {
	_, err := fmt.Fprintf(d.out, "%d decided, %d left waiting\n", decided, waits)
	if err == nil && vain {
		return &exitError{Code: exitFailed}
	}
	return err
}

// ask asks about one bundle until there is an answer, and tells whether it was decided about.
func (r *review) ask(ctx context.Context, d *desk, b bundle) (bool, error) {
	if err := d.printWaiting(&b, nil); err != nil {
		return false, err
	}
	for {
		if _, err := fmt.Fprint(d.out, "approve, edit, refuse, skip or quit? [a/e/r/s/q] "); err != nil {
			return false, err
		}
		line, err := r.line()
		if err != nil {
			return false, err
		}
		if !r.typed { // nobody has pressed Enter
			if _, err := fmt.Fprintln(d.out, plain(line, 40)); err != nil {
				return false, err
			}
		}
		word, number, _ := strings.Cut(line, " ")
		q := event.Request{Key: b[0].Conversation(), Action: b[0].Key}
		switch strings.ToLower(word) {
		case "a", "approve":
			q.Wish = event.WishRelease
		case "r", "refuse":
			q.Wish = event.WishDrop
		case "e", "edit":
			if problem, err := r.edit(ctx, d, b, strings.TrimSpace(number), &q); err != nil {
				return false, err
			} else if problem != "" {
				if _, err := fmt.Fprintln(d.out, problem); err != nil {
					return false, err
				}
				continue
			}
		case "s", "skip":
			return false, nil
		case "q", "quit":
			return false, errQuit
		default:
			if _, err := fmt.Fprintln(d.out, "write a, e, r, s or q"); err != nil {
				return false, err
			}
			continue
		}
		return true, d.decide(ctx, r.wait, []decision{{q, q.Action}})
	}
}

// line returns the next answer. At its end there is nothing more to be decided.
func (r *review) line() (string, error) {
	line, err := r.answers.ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && strings.TrimSpace(line) == "":
		return "", errQuit
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// edit asks for another text of one of a bundle, and says what is wrong with that; "" when nothing is.
func (r *review) edit(ctx context.Context, d *desk, b bundle, number string, q *event.Request) (problem string, err error) {
	var texts []*deed
	for i := range b {
		if x := &b[i]; x.Verb.Makes() && (number == "" || number == x.number()) {
			texts = append(texts, x)
		}
	}
	switch {
	case len(texts) == 0 && number != "":
		return "no text here has the number " + quoted(number, 20), nil
	case len(texts) == 0:
		return "it has no text: approve or refuse it as it is", nil
	case len(texts) > 1:
		return "several texts wait together: write e and the number of one, like e " + texts[0].number(), nil
	}
	q.Wish, q.Action = event.WishEdit, texts[0].Key
	if r.typed {
		if q.Text, err = r.sh.edited(ctx, texts[0].Text); err != nil && ctx.Err() == nil {
			return plain(err.Error(), 0), nil
		}
		return "", err
	}
	if q.Text, err = r.line(); err == nil && q.Text == "" {
		return "the new text is empty", nil
	}
	if err == nil {
		_, err = fmt.Fprintf(d.out, "instead: %s\n", quoted(q.Text, 0))
	}
	return "", err
}
