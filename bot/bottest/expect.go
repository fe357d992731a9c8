package bottest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// expectations are entries of the ledger that somebody may expect, each once.
type expectations struct {
	ledger *emulator.Ledger
	is     func(emulator.Entry) bool
	read   int64 // position in the ledger
	open   []emulator.Entry
}

// look takes in what has happened.
func (x *expectations) look() {
	for _, e := range x.ledger.Since(x.read) {
		x.read = e.Seq
		if x.is(e) {
			x.open = append(x.open, e)
		}
	}
}

// take returns the first entry that is wanted, and takes it out.
func (x *expectations) take(want func(emulator.Entry) bool) (emulator.Entry, bool) {
	x.look()
	for i, e := range x.open {
		if want(e) {
			x.open = append(x.open[:i:i], x.open[i+1:]...)
			return e, true
		}
	}
	return emulator.Entry{}, false
}

func anyEntry(emulator.Entry) bool { return true }

func message(e emulator.Entry) bool { return e.Kind == emulator.Arrived }

// awaitEntry waits for an entry that is wanted, and ends the test when none comes.
func (w *World) awaitEntry(x *expectations, what string, want func(emulator.Entry) bool) emulator.Entry {
	w.t.Helper()
	patience, cancel := context.WithTimeout(w.t.Context(), w.cfg.Patience)
	defer cancel()
	for {
		if e, ok := x.take(want); ok {
			return e
		}
		if x.ledger.Wait(patience, x.read) != nil {
			w.fail("expected %s, and nothing of the kind came within %v", what, w.cfg.Patience)
		}
	}
}

// Hears waits for the next private message of the bot to this person and returns it.
func (p *Person) Hears() string {
	p.w.t.Helper()
	return p.w.awaitEntry(&p.deeds, "a message to "+p.name, message).Text
}

// Expects waits for the next private messages of the bot and wants them to be these, in this order.
// Each message is expected once.
func (p *Person) Expects(texts ...string) {
	p.w.t.Helper()
	for _, text := range texts {
		what := fmt.Sprintf("%q to %s", text, p.name)
		if e := p.w.awaitEntry(&p.deeds, what, message); e.Text != text {
			p.w.fail("expected %s, and the bot wrote %q", what, e.Text)
		}
	}
}

// ExpectsPart waits for the next private message of the bot and wants it to contain a text.
func (p *Person) ExpectsPart(part string) {
	p.w.t.Helper()
	what := fmt.Sprintf("a message with %q to %s", part, p.name)
	if e := p.w.awaitEntry(&p.deeds, what, message); !strings.Contains(e.Text, part) {
		p.w.fail("expected %s, and the bot wrote %q", what, e.Text)
	}
}

// ExpectsReply waits for the next public reply of the bot to a post of this person and wants it to be
// this text.
func (p *Person) ExpectsReply(text string) platform.PostID {
	p.w.t.Helper()
	what := fmt.Sprintf("the public reply %q to %s", text, p.name)
	e := p.w.awaitEntry(&p.deeds, what, func(e emulator.Entry) bool { return e.Kind == emulator.Published })
	if e.Text != text {
		p.w.fail("expected %s, and the bot replied %q", what, e.Text)
	}
	return e.Post
}

// ExpectsLike waits until the bot likes what this person posted last.
func (p *Person) ExpectsLike() {
	p.w.t.Helper()
	p.w.awaitEntry(&p.deeds, fmt.Sprintf("a like of %s's last post", p.name), func(e emulator.Entry) bool {
		return e.Kind == emulator.Liked && e.Post == p.post
	})
}

// ExpectsRepost waits until the bot reposts what this person posted last.
func (p *Person) ExpectsRepost() {
	p.w.t.Helper()
	p.w.awaitEntry(&p.deeds, fmt.Sprintf("a repost of %s's last post", p.name), func(e emulator.Entry) bool {
		return e.Kind == emulator.Reposted && e.Post == p.post
	})
}

// ExpectsFollow waits until the bot follows this person, or asks for it.
func (p *Person) ExpectsFollow() {
	p.w.t.Helper()
	p.w.awaitEntry(&p.deeds, fmt.Sprintf("%s to be followed", p.name), func(e emulator.Entry) bool {
		return e.Kind == emulator.Followed || e.Kind == emulator.FollowRequested
	})
}

// ExpectsNothing lets time pass. The bot must do nothing to this person meanwhile, and must have done
// nothing before that was not expected.
func (p *Person) ExpectsNothing(within time.Duration) {
	p.w.t.Helper()
	p.w.Advance(within)
	if e, ok := p.deeds.take(anyEntry); ok {
		p.w.fail("expected nothing for %s, and there was: %s %q", p.name, e.Kind, e.Text)
	}
}
