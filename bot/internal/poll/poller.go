package poll

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/platform"
)

// Poller polls the sources of one account. It has no goroutine of its own and does nothing between
// two calls of Poll; a Schedule makes those calls.
type Poller struct {
	cfg     Config
	sources []source
	pace    pace
	sends   sends
	touched touched
	heard   heard
	wishes  wishes
	level   level // of the messages of all chats
	odds    odds

	messages inUse

	outage   int64                   // since when the log knows that sources fail, in Unix milliseconds; 0: they do not
	ill      atomic.Pointer[illness] // nil: all sources work
	perCycle float64                 // requests that a cycle makes, mostly
	lively   time.Time               // when a cycle last brought an event

	moved atomic.Int64 // when the poll under way last got on, in Unix milliseconds; 0 for none
	open  openCalls
	more  bool // there is more to do at once: the first cycle, or one that stopped at a bound
}

// source is a list that is polled.
type source interface {
	id() event.Source
	name() string
	health() *health
	sourceHealth() *sourceHealth
	poll(ctx context.Context, c *cycle) error
	load(ctx context.Context, c *cycle) error
	abandonReads() // gives back the room of what was read and not handed over
}

// New checks cfg and returns a Poller. The error is a *ConfigError.
func New(cfg Config) (*Poller, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(cfg.Account))
	p := &Poller{cfg: cfg, pace: newPace(cfg.Interval, seed.Sum64()), sources: make([]source, 0, 3), more: true}
	p.sends.level, p.perCycle = &p.level, firstCycle
	in := &inbox{hearing: sourceHealth{lasts: true}, heard: &p.heard, level: &p.level, messages: &p.messages}
	p.messages.set(&chatReader{in: in})
	if cfg.Sources.Messages {
		p.sources = append(p.sources, in)
	}
	if cfg.Sources.Notifs {
		p.sources = append(p.sources, &list{source: event.Notifs, kind: platform.Notifs})
	}
	if cfg.Sources.Mentions {
		p.sources = append(p.sources, &list{source: event.Mentions, kind: platform.Mentions})
	}
	return p, nil
}

// Poll runs one cycle: it reads what is new in every source that is not in a pause after failures,
// and delivers it. A source that fails stops no other; the error joins what went wrong. What failed
// is read again in a later cycle, and nothing is skipped because of it.
//
// Poll must not run twice at the same time.
func (p *Poller) Poll(ctx context.Context) (event.PollResult, error) {
	p.wake(ctx)
	c := p.cycle()
	defer c.hands.endIdle()
	c.noteProgress()
	defer p.moved.Store(0)
	p.sends.pruneOld(c.began)
	p.noteNapping(c.began)
	var failures []error
	for _, s := range p.sources {
		if s.health().retryAt.After(c.began) {
			continue
		}
		c.hearing = s.sourceHealth()
		err := s.poll(ctx, c)
		p.cfg.Bot.NoteHeard(0)
		if err == nil {
			c.hearing.noteEnd(nil)
			s.health().noteCycle(&p.cfg, nil, time.Time{})
			continue
		}
		failures = append(failures, fmt.Errorf("poll %s of %s: %w", s.name(), p.cfg.Account, err))
		if ctx.Err() != nil {
			break // being stopped is no failure of the source
		}
		p.fail(s, err)
	}
	p.more = c.more.Load()
	p.noteNapping(time.Now())
	result := event.PollResult{Events: int(c.events.Load()), Calls: int(c.calls.Load()), Late: int(c.late.Load()), Began: c.began}
	if result.Events > 0 || len(failures) == 0 {
		if result.Events > 0 {
			p.lively = c.began
		}
		p.pace.adaptPace(result.Events > 0 || c.hurry)
	}
	p.noteCalls(result.Calls)
	err := errors.Join(failures...)
	p.logHealth(ctx, failures)
	p.cfg.Bot.NotePoll(result, err)
	return result, err
}

// cycle is one pass over the sources of an account.
type cycle struct {
	cfg     *Config
	sends   *sends
	touched *touched
	heard   *heard
	wishes  *wishes
	odds    *odds
	hearing *sourceHealth // of the source that is polled
	moved   *atomic.Int64
	open    *openCalls
	hands   hands
	began   time.Time
	calls   atomic.Int64
	events  atomic.Int64
	late    atomic.Int64
	more    atomic.Bool   // there is more to read at once
	hurry   bool          // there is more to read soon
	listed  time.Duration // how long the chat list took
}

// noteProgress notes that the cycle gets on.
func (c *cycle) noteProgress() { c.moved.Store(time.Now().UnixMilli()) }

func (p *Poller) cycle() *cycle {
	return &cycle{
		cfg: &p.cfg, sends: &p.sends, touched: &p.touched, heard: &p.heard, wishes: &p.wishes, odds: &p.odds,
		moved: &p.moved, open: &p.open, began: time.Now(),
	}
}

// Load reads the stored cursors of the lists before the first cycle, which reads what could not be read here. It must not run beside
// Poll.
func (p *Poller) Load(ctx context.Context) {
	c := p.cycle()
	defer c.hands.endIdle()
	for _, s := range p.sources {
		_ = s.load(ctx, c) // the first cycle says why
	}
}

// fail notes that a source failed. A platform that limits the rate is left alone with all sources.
func (p *Poller) fail(s source, err error) {
	if soft := (*chatsError)(nil); errors.As(err, &soft) {
		s.sourceHealth().noteEnd(nil)
		s.health().noteCycle(&p.cfg, nil, time.Time{})
		return
	}
	s.sourceHealth().noteEnd(err)
	s.health().noteCycle(&p.cfg, err, p.lastGood())
	if !errors.Is(err, platform.ErrRateLimited) {
		return
	}
	for _, other := range p.sources {
		if until := s.health().retryAt; other.health().retryAt.Before(until) {
			other.health().leaveAlone(until)
		}
	}
}

// Next returns when the next cycle is due, at now or later: at once before the first one and when the
// last one stopped at a bound, after the adaptive pause, or when a source that failed may be tried again.
func (p *Poller) Next(now time.Time) time.Time {
	var next time.Time
	usual := now.Add(p.pause())
	if p.more {
		usual = now
	}
	for _, s := range p.sources {
		at := usual
		if retry := s.health().retryAt; retry.After(now) || s.health().fails > 0 {
			at = retry
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if next.Before(now) {
		return now
	}
	return next
}

// NoteSent tells the poller what the account itself sends to peer, so that the chat list is not taken for
// news when it shows that. Call it with id 0 before the request leaves, since the list may be faster
// than the answer, and again with the message's id when the answer tells it, or Unnamed when it is known
// to have arrived without one. It may be called at any time.
//
// Where get_messages does not exist, it is also the only way to tell own messages from others, together
// with Config.RecentOwnMessages, which tells what was sent before the start.
func (p *Poller) NoteSent(peer platform.UserID, id platform.MessageID, text string) {
	p.sends.add(peer, id, text, time.Now())
}
