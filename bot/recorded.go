package bot

import (
	"context"

	"github.com/nectar-bot/nectar/bot/internal/recorder"
)

// startBeat gives a sign of life of the process until it is ended; that it is over is noted, too.
func (b *Bot) startBeat(ctx context.Context) (end func(over bool)) {
	r := b.store.Recorder()
	if r == nil {
		return func(bool) {}
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // also while the bot stops
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		told := false
		b.keepJudgement(ctx, r)
		runEvery(ctx, recorder.BeatEvery, func() {
			b.keepJudgement(ctx, r)
			if err := r.NoteAlive(); err != nil && !told {
				told = true
				b.log.Warn("the file beside the database cannot be written; after a death actions are in doubt for longer", "err", err)
			}
		})
	}()
	return func(over bool) {
		stop()
		<-ended
		if over {
			r.NoteFinished()
		}
	}
}
