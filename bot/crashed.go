package bot

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

const (
	crashFact = "crashed" // the name under which it is known of an account that people were told of a crash
	// crashTold is how long they are not told of another one: what dies again and again is one matter.
	crashTold = time.Hour
)

// logCrash says in the log that the incarnation before this one was not stopped.
func (b *Bot) logCrash() {
	if p := b.store.Recorder().Crashed(); p != nil {
		b.log.Warn("the bot had ended without being stopped: it crashed, was killed, or its machine died; what was under way is taken up",
			"version", p.Version, "last_sign_of_life", p.At.UTC().Format(time.RFC3339))
	}
}

// tellCrash calls people for that, on behalf of an account that has begun.
func (b *Bot) tellCrash(ctx context.Context) {
	p := b.store.Recorder().Crashed()
	if p == nil {
		return
	}
	var by event.Account
	b.eachAtWork(func(a *account) { by = cmp.Or(by, a.name) })
	if by == "" {
		return
	}
	now := time.Now()
	last, known, err := b.store.Known(ctx, by, crashFact)
	if err == nil && known && now.Sub(last.ReadAt).Abs() < crashTold {
		return
	}
	host, _ := os.Hostname() // it only helps to find the bot
	n := event.Notice{
		Account: by, ID: "call:" + event.CallCrashed + "/" + strconv.FormatInt(now.UnixMicro(), 10), Who: event.Everybody, At: now, Kind: event.CallCrashed,
		Text:    fmt.Sprintf("The bot on %s had ended without being stopped, about %s, and runs again. Version: %s.", host, p.At.UTC().Format(time.DateTime), p.Version),
		Details: (&event.Details{Ask: "Look why, in what it printed last."}).Encode(),
	}
	if err == nil {
		err = b.store.Know(ctx, by, "", event.Fact{Name: crashFact, Value: []byte("true"), ReadAt: now})
	}
	if err == nil {
		err = b.store.Tell(ctx, []event.Notice{n}, nil, nil)
	}
	if err != nil && ctx.Err() == nil {
		b.log.Error("people cannot be called for the crash", "err", err)
	}
}
