// Command bench measures what a bot costs by nectar demo: two commits against each other, and the figures of docs/performance.md.
//
//	go run ./cmd/internal/bench compare main .                  # is the working tree as quick as main?
//	go run ./cmd/internal/bench compare main . -- --rules       # the same of another demo
//	go run ./cmd/internal/bench measure docs/performance        # all figures of the page, its pictures and its tables anew
//	go run ./cmd/internal/bench pages docs/performance          # pictures and tables alone, out of what was measured
//
// Read compare.go, then measure.go for the questions that the page answers. program.go builds what is measured and plays its demo, measured.go is what
// comes of that, in the JSON that table.go and draw.go show; pages.go puts both where they stand.
//
// What holds:
//
//   - What is measured takes turns with what it is compared with, so that a busy minute of the machine meets both.
//   - A run in which anything was lost or doubled counts for nothing: everything ends there.
//   - What is built and played lies in a folder of its own, which is gone in the end, also when Ctrl-C was the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

const usage = `usage: go run ./cmd/internal/bench COMMAND
  compare OLD NEW [-n 9] [--json] [-- FLAGS]   two commits, or . for the working tree, by nectar demo with these flags
  measure FOLDER [-n 9]                        the figures, pictures and tables of FOLDER.md, and of the README.md that links it
  pages FOLDER                                 pictures and tables anew, out of the figures that are there
  table FILE.json [--short]                    a table of what was measured, for Markdown
  draw FILE.json                               a picture of it, as SVG`

// errUsage says that the command line is wrong.
var errUsage = errors.New(usage)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for what is tidied up
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run runs the command that args name.
func run(ctx context.Context, args []string, out, log io.Writer) error {
	var demo []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, demo = args[:i], args[i+1:]
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	n := flags.Int("n", 9, "")
	asJSON, short := flags.Bool("json", false, ""), flags.Bool("short", false, "")
	var words []string
	for len(args) > 0 { // flags may stand behind what they belong to
		if err := flags.Parse(args); err != nil {
			return fmt.Errorf("%w\n%w", err, errUsage)
		}
		if args = flags.Args(); len(args) > 0 {
			words, args = append(words, args[0]), args[1:]
		}
	}
	switch what := strings.Join(words[:min(len(words), 1)], ""); {
	case *n < 1:
		return errors.New("-n is 1 or more")
	case what == "compare" && len(words) == 3:
		return compare{old: words[1], new: words[2], pairs: *n, flags: demo, asJSON: *asJSON}.run(ctx, out, log)
	case what == "measure" && len(words) == 2:
		return measureAll(ctx, words[1], *n, log)
	case what == "pages" && len(words) == 2:
		return writePages(words[1])
	case (what == "table" || what == "draw") && len(words) == 2:
		m, err := readMeasured(words[1])
		if err == nil && what == "table" {
			_, err = io.WriteString(out, m.renderTable(*short))
		} else if err == nil {
			_, err = io.WriteString(out, m.draw())
		}
		return err
	}
	return errUsage
}
