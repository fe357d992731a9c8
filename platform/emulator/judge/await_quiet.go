package judge

import (
	"context"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/words"
)

// Platform measures what happened so far by expect.
func Platform(p *emulator.Platform, expect Expect) Verdict {
	j := newJudge(expect, func(id platform.UserID) string { return words.NameOf(p, id) })
	j.read(p.Ledger().After(0))
	return j.verdict()
}

// AwaitQuiet waits until nothing is missing any more of what expect asks for, or until the ledger has
// not grown for quiet; a Verdict tells which. It returns the error of ctx when that ends before.
func AwaitQuiet(ctx context.Context, p *emulator.Platform, expect Expect, quiet time.Duration) error {
	j := newJudge(expect, words.PersonNumber)
	for {
		j.read(p.Ledger().After(j.seq))
		if j.owed == 0 {
			return nil
		}
		if err := waitFor(ctx, p.Ledger(), j.seq, quiet); err != nil {
			return ctx.Err()
		}
	}
}

// waitFor waits for what comes after position seq, but no longer than limit.
func waitFor(ctx context.Context, l *emulator.Ledger, seq int64, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return l.Wait(ctx, seq)
}
