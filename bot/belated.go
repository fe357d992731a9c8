package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/store"
)

// noteBelated notes what may have left after the lease: whoever took over may have done it, too.
func (h *holder) noteBelated(loss *lease.Loss) {
	var all []event.Action
	for _, a := range h.bot.accounts.all() {
		if a.atWork.Load() {
			all = append(all, a.outbox.UnderWay()...)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range all {
		h.belated = append(h.belated, belatedNotice(&all[i], loss))
	}
}

// belatedNotices returns what people are to be told.
func (h *holder) belatedNotices() []event.Notice {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.belated
}

// belatedNotice tells people about an action that may have left after the lease.
func belatedNotice(a *event.Action, loss *lease.Loss) event.Notice {
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }
	return event.Notice{
		Account: a.Account, Peer: a.Peer, Who: event.Everybody, At: loss.LateUntil,
		ID: fmt.Sprintf("%s/late/%d", a.Key, loss.LateUntil.UnixMicro()),
		Text: fmt.Sprintf("On the account %s, %s %s may have left between %s and %s UTC, when the worker that sent it had no lease any more: "+
			"look whether it was done twice.", a.Account, a.Verb, a.Key, at(loss.LateFrom), at(loss.LateUntil)),
	}
}

// storeBelated stores what may have left too late in earlier incarnations, as soon as the database can be reached.
func (in *incarnations) storeBelated(ctx context.Context) {
	if len(in.belated) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), confessPatience)
	defer cancel()
	inspector, err := store.OpenInspector(ctx, in.cfg.Store.Path, in.cfg.Store.Key)
	if err != nil {
		return // it is tried again
	}
	if err = inspector.Notify(ctx, in.belated...); err == nil {
		in.belated = nil
	} else {
		in.cfg.Log.Debug("what may have left too late cannot be stored yet", "err", err)
	}
	_ = inspector.Close() // it has done what it was for
}

const confessPatience = 5 * time.Second
