package view

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
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Review walks through what waits for approval.
type Review struct {
	Sh      cli.Shell
	List    ActionList
	Script  string
	Wait    time.Duration
	answers *bufio.Reader
	typed   bool // the answers come from a terminal
}

// Run asks about one action after another.
func (r *Review) Run(ctx context.Context, d *View, _ []string) (err error) {
	in := r.Sh.Stdin
	r.typed = r.Sh.IsInteractive()
	if r.Script != "" {
		file, failed := os.Open(r.Script)
		if failed != nil {
			return fmt.Errorf("read the answers: %w", failed)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		in, r.typed = file, false
	}
	r.answers = bufio.NewReader(cli.NewAnswers(ctx, in))
	bundles, w, err := r.read(ctx, d)
	if err != nil {
		return err
	}
	decided := 0
	vain := false
	for i := range bundles {
		if bundles[i].askedAbout(w) != nil {
			continue
		}
		if bundles[i].isOvertaken() { // she has words of ours: who wants that said, too, says so by its number
			if err := d.printWaiting(&bundles[i], nil); err != nil {
				return err
			}
			continue
		}
		done, err := r.ask(ctx, d, bundles[i])
		var failed *cli.ExitError
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
func (r *Review) read(ctx context.Context, d *View) ([]bundle, Waiting, error) {
	r.List.Approval, r.List.Limit = true, sifted
	deeds, err := r.List.read(ctx, d)
	if err == nil {
		err = d.name(ctx, deeds)
	}
	if err == nil {
		err = d.addQuestions(ctx, deeds)
	}
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(deeds)
	bundles, _ := waitTogether(deeds)
	w, err := d.ReadWaiting(ctx)
	return bundles, w, err
}

// errQuit ends a review.
var errQuit = errors.New("quit")

// left says how much was decided, and how much waits.
func (r *Review) left(d *View, decided, waits int, vain bool) error {
	_, err := fmt.Fprintf(d.Out, "%d decided, %d left waiting\n", decided, waits)
	if err == nil && vain {
		return &cli.ExitError{Code: cli.ExitFailed}
	}
	return err
}

// ask asks about one bundle until there is an answer, and reports whether it was decided about.
func (r *Review) ask(ctx context.Context, d *View, b bundle) (bool, error) {
	if err := d.printWaiting(&b, nil); err != nil {
		return false, err
	}
	for {
		if _, err := fmt.Fprint(d.Out, "approve, edit, refuse, skip or quit? [a/e/r/s/q] "); err != nil {
			return false, err
		}
		line, err := r.line()
		if err != nil {
			return false, err
		}
		if !r.typed { // nobody has pressed Enter
			if _, err := fmt.Fprintln(d.Out, print.PlainText(line, 40)); err != nil {
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
				if _, err := fmt.Fprintln(d.Out, problem); err != nil {
					return false, err
				}
				continue
			}
		case "s", "skip":
			return false, nil
		case "q", "quit":
			return false, errQuit
		default:
			if _, err := fmt.Fprintln(d.Out, "write a, e, r, s or q"); err != nil {
				return false, err
			}
			continue
		}
		return true, d.AskDecisions(ctx, r.Wait, []Decision{{q, q.Action}})
	}
}

// line returns the next answer. At their end, or at an interrupt, there is nothing more to be decided.
func (r *Review) line() (string, error) {
	line, err := r.answers.ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && strings.TrimSpace(line) == "", errors.Is(err, cli.ErrInterrupted):
		return "", errQuit
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// edit asks for another text of one of a bundle, and says what is wrong with that; "" when nothing is.
func (r *Review) edit(ctx context.Context, d *View, b bundle, number string, q *event.Request) (problem string, err error) {
	var texts []*Deed
	for i := range b {
		if x := &b[i]; x.Verb.Makes() && (number == "" || number == x.shortNumber()) {
			texts = append(texts, x)
		}
	}
	switch {
	case len(texts) == 0 && number != "":
		return "no text here has the number " + print.QuotePlain(number, 20), nil
	case len(texts) == 0:
		return "it has no text: approve or refuse it as it is", nil
	case len(texts) > 1:
		return "several texts wait together: write e and the number of one, like e " + texts[0].shortNumber(), nil
	}
	q.Wish, q.Action = event.WishEdit, texts[0].Key
	if r.typed {
		if q.Text, err = r.Sh.EditText(ctx, texts[0].Text); err == nil {
			err = CheckVariables(q.Text, texts[0].Text)
		}
		if err != nil && ctx.Err() == nil {
			return print.PlainText(err.Error(), 0), nil
		}
		return "", err
	}
	if q.Text, err = r.line(); err == nil && q.Text == "" {
		return "the new text is empty", nil
	}
	if err == nil {
		if wrong := CheckVariables(q.Text, texts[0].Text); wrong != nil {
			return print.PlainText(wrong.Error(), 0), nil
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(d.Out, "instead: %s\n", print.QuotePlain(q.Text, 0))
	}
	return "", err
}
