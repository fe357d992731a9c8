package handlers

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// Recover apologises for handlers that panic: what they had decided is taken back, the text is said
// instead, and the event counts as handled. Without it the runtime tries a panicking handler again, and
// sets the event aside after five tries; people hear nothing meanwhile. The text is a Template; a wrong
// template is a mistake in the program, and panics.
func Recover(log *slog.Logger, text string) bot.Middleware {
	sorry := mustTemplate("handlers.Recover", text)
	return func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) (err error) {
			restore := t.Checkpoint()
			defer func() {
				p := recover()
				if p == nil {
					return
				}
				restore()
				log.ErrorContext(ctx, "a handler panicked, and we apologised", "account", t.Trigger.Key.Account,
					"trigger", t.Trigger.ID(), "route", t.Route(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				t.Note("apologised for a panic: %v", p)
				if err = sorry.sayStep().Handle(ctx, t); err != nil {
					err = fmt.Errorf("apologise for a panic: %w", err)
				}
			}()
			return next.Handle(ctx, t)
		})
	}
}

// Log writes one line for each turn that was handled: where, why, by which route, what it decided and how
// long that took. It holds no texts and no names. An error is left to the runtime to report.
func Log(log *slog.Logger) bot.Middleware {
	return func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			began := time.Now()
			err := next.Handle(ctx, t)
			var verbs []string
			for _, a := range t.Decided() {
				verbs = append(verbs, string(a.Verb))
			}
			log.InfoContext(ctx, "turn", "account", t.Trigger.Key.Account, "peer", int64(t.Trigger.Key.Peer),
				"trigger", t.Trigger.ID(), "route", t.Route(), "actions", strings.Join(verbs, ","), "took", time.Since(began), "failed", err != nil)
			return err
		})
	}
}

// Ceiling lets the bot say at most n things to a person within a time: messages and public replies, by
// all routes together. It ends the talk of two bots with each other. A message above the ceiling is not
// sent, and recorded as withdrawn. The count is exact, also over crashes.
func Ceiling(n int, within time.Duration) bot.Middleware {
	limit := bot.AtMost(n, within, "ceiling")
	return func(next bot.Handler) bot.Handler {
		return bot.HandlerFunc(func(ctx context.Context, t *bot.Turn) error {
			err := next.Handle(ctx, t)
			t.Amend(func(t *bot.Turn, a *record.Action) {
				if a.Verb == event.VerbMessage || a.Verb == event.VerbPost {
					limit(t, a)
				}
			})
			return err
		})
	}
}
