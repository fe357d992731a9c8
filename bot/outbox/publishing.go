package outbox

import "time"

// Publishing is how much an account publishes at most; see bot.Publishing.
type Publishing struct {
	Most   int // 0: as much as it likes
	Within time.Duration
	Apart  time.Duration
}

// LimitPublishing puts a limit in force, in the place of the one before; nil for none. It may be called at any time, also before Recover.
func (b *Box) LimitPublishing(p *Publishing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit.Store(p)
}
