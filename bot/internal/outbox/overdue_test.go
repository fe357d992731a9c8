package outbox_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/outbox"
)

func (m *memory) overdue(ctx context.Context, account event.Account, now time.Time, publications bool) ([]event.Action, error) {
	return m.find(ctx, account, func(a *event.Action) bool {
		return a.State == event.StateDue && a.Due.UnixMicro() <= now.UnixMicro() && (publications || !a.Publishes())
	})
}

func (m *memory) FirstOverdue(ctx context.Context, account event.Account, now time.Time, publications bool) (first event.Action, ok bool, err error) {
	all, err := m.overdue(ctx, account, now, publications)
	for i := range all {
		if a := &all[i]; !ok || a.Due.Before(first.Due) {
			first, ok = *a, true
		}
	}
	return first, ok, err
}

func (m *memory) CountOverdue(ctx context.Context, account event.Account, now time.Time, publications bool) (int, error) {
	all, err := m.overdue(ctx, account, now, publications)
	return len(all), err
}

// overdueIn says what a ledger tells of what is overdue.
func overdueIn(ctx context.Context, l outbox.Ledger, account event.Account, now time.Time) (said [2]string) {
	for i, publications := range []bool{false, true} {
		n, err := l.CountOverdue(ctx, account, now, publications)
		must(err)
		first, ok, err := l.FirstOverdue(ctx, account, now, publications)
		must(err)
		said[i] = fmt.Sprint(n, ok, first.Due.UnixMicro())
	}
	return said
}
