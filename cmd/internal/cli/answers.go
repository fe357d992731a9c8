package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// ErrInterrupted ends a command when its question was answered by an interrupt.
var ErrInterrupted error = &ExitError{Code: ExitFailed, Err: errors.New("interrupted: nothing was changed")}

// NewAnswers returns what a person writes. Reading ends with [ErrInterrupted] when ctx does: a line that nobody finishes holds no command back.
func NewAnswers(ctx context.Context, in io.Reader) io.Reader { return &answers{ctx, in} }

type answers struct {
	ctx context.Context //nolint:containedctx // Read has no room for one
	in  io.Reader
}

// Read reads in a goroutine, so that the caller can be interrupted. A read that gets no answer ends with the process.
func (a *answers) Read(p []byte) (int, error) {
	type part struct {
		text []byte
		err  error
	}
	read := make(chan part, 1)
	go func() {
		text := make([]byte, len(p))
		n, err := a.in.Read(text)
		read <- part{text[:n], err}
	}()
	select {
	case <-a.ctx.Done():
		return 0, ErrInterrupted
	case got := <-read:
		return copy(p, got.text), got.err
	}
}

// LongestLine is how long a line that is read may be, in bytes.
const LongestLine = 1 << 20

// ReadLines reads lines until they are over or ctx ends.
func ReadLines(ctx context.Context, in io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lines := bufio.NewScanner(NewAnswers(ctx, in))
		lines.Buffer(nil, LongestLine)
		for ctx.Err() == nil && lines.Scan() {
			if !yield(lines.Text(), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil && ctx.Err() == nil {
			yield("", err)
		}
	}
}

// ReadSecret returns a password that stands on standard input, without its line end.
func ReadSecret(ctx context.Context, in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(NewAnswers(ctx, in), 4096))
	switch {
	case errors.Is(err, ErrInterrupted):
		return "", ErrInterrupted
	case err != nil:
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// ReadPassword asks for a password on a terminal, and does not show it. The terminal shows again what is written when ctx ends.
func ReadPassword(ctx context.Context, in *os.File, out io.Writer, question string) (string, error) {
	before, err := term.GetState(in.Fd())
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	_, _ = fmt.Fprint(out, question)
	type secret struct {
		text []byte
		err  error
	}
	read := make(chan secret, 1)
	go func() {
		text, err := term.ReadPassword(in.Fd())
		read <- secret{text, err}
	}()
	select {
	case <-ctx.Done():
		_, _ = fmt.Fprintln(out)
		return "", errors.Join(ErrInterrupted, term.Restore(in.Fd(), before))
	case got := <-read:
		_, _ = fmt.Fprintln(out)
		if got.err != nil {
			return "", fmt.Errorf("read the password: %w", got.err)
		}
		return string(got.text), nil
	}
}
