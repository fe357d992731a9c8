package starter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// AskMissing asks for what the flags have not said. It returns [cli.ErrInterrupted] when ctx ends before all is answered.
func (b *Beginning) AskMissing(ctx context.Context, in *os.File, out io.Writer, said func(flag string) bool) error {
	q := questions{lines: bufio.NewReader(cli.NewAnswers(ctx, in)), out: out, said: said}
	_, _ = fmt.Fprint(out, "A few questions; an empty line takes what stands in brackets, or leaves it for later.\n\n")
	q.line("base-url", "Address of the platform, like https://social.example/mobile_api", &b.BaseURL, checkValue)
	q.line("email", "E-mail address with which the bot signs in", &b.Email, CheckEmail)
	for q.err == nil && b.Email != "" && b.Password == "" {
		password, err := cli.ReadPassword(ctx, in, out, "Password (it is not shown): ")
		if err != nil {
			return err
		}
		if password == "" { // for later
			break
		}
		if err := checkPassword(password); err != nil {
			_, _ = fmt.Fprintf(out, "  %s\n", err)
			continue
		}
		b.Password = password
	}
	q.line("timezone", "Your time zone", &b.Zone, func(s string) error {
		_, err := text.ParseZone(s)
		return err
	})
	q.line("language", "Language that people write in: en, es, pt, fr or de", &b.Language, func(s string) error {
		if !isLanguage(s) {
			return fmt.Errorf("write en, es, pt, fr or de")
		}
		return nil
	})
	hours := strings.Join(b.Hours, ", ")
	q.line("hours", "When are you at work? Several with commas between them", &hours, func(s string) error {
		for h := range strings.SplitSeq(s, ",") {
			if _, err := text.ParseOpening(strings.TrimSpace(h)); err != nil {
				return err
			}
		}
		return nil
	})
	if !said("hours") {
		b.Hours = nil
		for h := range strings.SplitSeq(hours, ",") {
			b.Hours = append(b.Hours, strings.TrimSpace(h))
		}
	}
	_, _ = fmt.Fprintln(out)
	return q.err
}

// questions are asked on a terminal.
type questions struct {
	lines *bufio.Reader
	out   io.Writer
	said  func(flag string) bool
	err   error
}

// line asks for a line, until check takes it, unless the flag has said it. What stands in answer is the default.
func (q *questions) line(flag, what string, answer *string, check func(string) error) {
	for q.err == nil && !q.said(flag) {
		preset := ""
		if *answer != "" {
			preset = " [" + *answer + "]"
		}
		_, _ = fmt.Fprintf(q.out, "%s%s: ", what, preset)
		line, err := q.lines.ReadString('\n')
		line = strings.TrimSpace(line)
		switch {
		case errors.Is(err, cli.ErrInterrupted):
			_, _ = fmt.Fprintln(q.out)
			q.err = cli.ErrInterrupted
			return
		case err != nil && line == "":
			q.err = fmt.Errorf("read the answer: %w", err)
			return
		}
		if line == "" {
			return
		}
		if check != nil {
			if err := check(line); err != nil {
				_, _ = fmt.Fprintf(q.out, "  %s\n", err)
				continue
			}
		}
		*answer = line
		return
	}
}

// closedMoment returns a moment of the week at which nobody is at work, for the tests of the files, and what to expect then; where
// somebody always is, any moment, and that nothing is said of being closed.
func (b *Beginning) closedMoment() (at, expect string) {
	var openings textfile.List[text.Opening]
	for _, h := range b.Hours {
		if o, err := text.ParseOpening(h); err == nil {
			openings = append(openings, o)
		}
	}
	hours := text.Hours{Open: openings}
	monday := time.Date(2026, time.June, 1, 0, 0, 0, 0, time.UTC)
	for _, clock := range []time.Duration{23 * time.Hour, 3 * time.Hour, 12 * time.Hour} {
		for day := 6; day >= 0; day-- {
			if at := monday.AddDate(0, 0, day).Add(clock); !hours.OpenAt(at) {
				return at.Format("Mon 15:04"), "reply"
			}
		}
	}
	return "Sun 23:00", "no_reply"
}
