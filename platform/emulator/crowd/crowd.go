package crowd

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Config describes a crowd of random people who write to an account.
type Config struct {
	// Seed decides who the people are and what each of them does; the timing changes nothing of that.
	Seed uint64

	// People is the number of people. Defaults to 1.
	People int

	// Messages is the number of private messages that they write altogether, each about as many.
	Messages int

	// Account is the account that they write to. Required.
	Account platform.UserID

	// Wait lets everybody wait for the answer to a message before the next one. People who were
	// asked something then answer it, or misunderstand it.
	Wait bool

	// Replies says what answers a message, as Expect.Replies does; a stateful one must not be
	// shared with an Expect. With Wait it tells how many answers to wait for: until the last one
	// arrived. Defaults to any one message of the account.
	Replies func(said emulator.Entry) []string

	// Patience is how long people wait for an answer before they go on. Defaults to one minute.
	Patience time.Duration

	// Pauses is the mean time that people type and think before a message; they differ, and write
	// bursts. 300ms looks lively; all are done after about Messages/People as many. Defaults to
	// none: they write as fast as the platform takes it.
	Pauses time.Duration

	// Lasts lets them write for so long, at moments that are drawn with the seed, whatever the account does: how fast it answers changes
	// nothing of the load. Wait and Pauses do not count then. Defaults to each person writing one message after the other.
	Lasts time.Duration

	// Reactions lets people, beside one message in ten, mention the account, reply to its posts,
	// like and repost them, follow it and visit it; some take it back, some of them do it again.
	// The account writes some posts first.
	Reactions bool
}

func (c Config) withDefaults() Config {
	c.People = max(c.People, 1)
	c.Messages = max(c.Messages, 0)
	if c.Lasts > 0 {
		c.Wait, c.Pauses = false, 0
	}
	if c.Patience <= 0 {
		c.Patience = time.Minute
	}
	return c
}

// crowdWorkers is how many goroutines speak for a crowd that never waits.
const crowdWorkers = 4

// Crowd is random people who write to an account: in several languages, with emoji, twins of the
// same text, long texts and stray spaces, in bursts.
type Crowd struct {
	p       *emulator.Platform
	cfg     Config
	members []*member
	byID    map[platform.UserID]*member
	posts   []platform.PostID // of the account, for reactions
	planned map[platform.MessageID]time.Time
}

// New adds the people, and the account's posts, to p. Nobody does anything before Run.
func New(p *emulator.Platform, cfg Config) *Crowd {
	c := &Crowd{p: p, cfg: cfg.withDefaults(), byID: map[platform.UserID]*member{}, planned: map[platform.MessageID]time.Time{}}
	if c.cfg.Reactions {
		for _, text := range wares {
			c.posts = append(c.posts, p.Post(c.cfg.Account, text))
		}
	}
	for i := range c.cfg.People {
		m := c.newMember(i)
		c.members = append(c.members, m)
		c.byID[m.id] = m
	}
	return c
}

// Run lets the people do what they do and returns when all of them are done, or with the error of
// ctx when that ends before. It may be called once.
func (c *Crowd) Run(ctx context.Context) error {
	if c.p.Username(c.cfg.Account) == "" {
		return errors.New("crowd: the account is not on the platform")
	}
	if c.cfg.Lasts > 0 {
		return c.writeOnTime(ctx)
	}
	if !c.cfg.Wait && c.cfg.Pauses <= 0 {
		return c.rush(ctx)
	}
	listening, stop := context.WithCancel(ctx)
	var listener, speakers sync.WaitGroup
	if c.cfg.Wait {
		from := c.p.Ledger().Len()
		listener.Go(func() { c.listen(listening, from) })
	}
	for _, m := range c.members {
		speakers.Go(func() { m.writeAll(ctx) })
	}
	speakers.Wait()
	stop()
	listener.Wait()
	return ctx.Err()
}

// rush lets everybody write without a pause: a few workers speak for all, one message of each in
// turn.
func (c *Crowd) rush(ctx context.Context) error {
	var workers sync.WaitGroup
	for w := range crowdWorkers {
		workers.Go(func() {
			for n := range c.shareOf(0) {
				for i := w; i < len(c.members) && ctx.Err() == nil; i += crowdWorkers {
					if n < c.shareOf(i) {
						c.members[i].write(n, "")
						c.members[i].reactTo(ctx, n)
					}
				}
			}
		})
	}
	workers.Wait()
	return ctx.Err()
}

// shareOf returns how many messages the person with number i writes. Nobody writes more than the
// first one.
func (c *Crowd) shareOf(i int) int {
	n := c.cfg.Messages / c.cfg.People
	if i < c.cfg.Messages%c.cfg.People {
		n++
	}
	return n
}

// listen hears for everybody, in the order of the ledger, until ctx ends.
func (c *Crowd) listen(ctx context.Context, seq int64) {
	for c.p.Ledger().Wait(ctx, seq) == nil {
		for e := range c.p.Ledger().After(seq) {
			c.hear(e)
			seq = e.Seq
		}
	}
}

func (c *Crowd) hear(e emulator.Entry) {
	switch {
	case e.Kind == emulator.Said && e.To == c.cfg.Account:
		if m := c.byID[e.From]; m != nil {
			m.noteAsked(e)
		}
	case e.Kind == emulator.Arrived && e.From == c.cfg.Account:
		if m := c.byID[e.To]; m != nil {
			m.noteAnswered(e)
		}
	}
}
