package judge_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/honest"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

func TestAwaitQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(Config{})
		b := honest.New(t, p)
		ana := p.AddPerson(Person{Username: "ana"})
		p.Say(ana, b.Account, "one")

		start := time.Now()
		if err := judge.AwaitQuiet(t.Context(), p, b.Expect(), time.Minute); err != nil {
			t.Errorf("without an answer: %v", err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("gave up after %v, want a minute", took)
		}
		if v := judge.Platform(p, b.Expect()); v.Lost != 1 || v.Details[0] != `lost: ana said "one" and never got "echo: one"` {
			t.Errorf("verdict: %v %v", v, v.Details)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := judge.AwaitQuiet(ctx, p, b.Expect(), time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beyond the deadline: %v", err)
		}

		p.Say(ana, b.Account, "two")
		b.Work = 40 * time.Second
		b.Alongside(t, func(ctx context.Context) {
			start = time.Now()
			if err := judge.AwaitQuiet(ctx, p, b.Expect(), time.Minute); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took != 80*time.Second {
				t.Errorf("two answers took %v", took)
			}
		})
	})
}
