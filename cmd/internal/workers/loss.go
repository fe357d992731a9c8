package workers

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nectar-bot/nectar/bot/admin"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/view"
)

// PrintLoss tells of a loss that keeps workers from beginning, and of the last one that was accepted if that was asked for.
func PrintLoss(ctx context.Context, out io.Writer, b *admin.Board, all, asJSON bool) error {
	open, accepted, err := b.Loss(ctx)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	if !all {
		accepted = nil
	}
	if asJSON {
		for _, l := range []*record.LostCommits{open, accepted} {
			if l != nil {
				err = errors.Join(err, print.WriteLine(out, map[string]*record.LostCommits{"lost_commits": l}))
			}
		}
		return err
	}
	if accepted != nil {
		_, err = fmt.Fprintf(out, "the database had lost what it had confirmed, as %s found %s; accepted%s %s%s\n\n", accepted.Worker, print.TimeText(accepted.At), view.ByText(accepted.By), print.TimeText(accepted.AcceptedAt), reasoned(accepted.Why))
	}
	if err == nil && open != nil {
		_, err = fmt.Fprintf(out, "THE DATABASE HAS LOST WHAT IT HAD CONFIRMED, as %s found %s: no worker begins.\nCompare with nectar audit what was sent; then nectar workers accept-loss\n\n", open.Worker, print.TimeText(open.At))
	}
	return err
}

// PrintElsewhere tells of a database that has come to another server, which keeps workers from beginning.
func PrintElsewhere(out io.Writer, there *admin.Workers, asJSON bool) (err error) {
	switch {
	case !there.Elsewhere:
	case asJSON:
		err = print.WriteLine(out, map[string]bool{"elsewhere": true})
	default:
		_, err = fmt.Fprintf(out, "NO WORKER BEGINS: %v\n\n", record.ErrOtherServer)
	}
	return err
}

// reasoned says why, behind what was decided.
func reasoned(why string) string {
	if why == "" {
		return ""
	}
	return ": " + print.PlainText(why, print.MostName*2)
}
