package script

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// Script is what people do to an account, and what they expect back, in order.
type Script struct {
	// Account is whom the people deal with. Required.
	Account platform.UserID

	// Patience is how long a step waits for what it expects. Defaults to 10 seconds.
	Patience time.Duration

	// Steps are done one after another, also those of different people.
	Steps []Step
}

// Play does the steps of a script. It stops at the first one that fails, names it and says why.
func Play(ctx context.Context, p *emulator.Platform, script Script) error {
	if script.Patience <= 0 {
		script.Patience = 10 * time.Second
	}
	s := &stage{p: p, script: script, began: p.Ledger().Len(), cast: map[Actor]*role{}}
	for _, step := range script.Steps {
		s.enter(step.actor)
	}
	for i, step := range script.Steps {
		if err := step.do(ctx, s, s.cast[step.actor]); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, strings.TrimSpace(string(step.actor)+" "+step.words), err)
		}
	}
	return nil
}

// stage is a script that is being played.
type stage struct {
	p      *emulator.Platform
	script Script
	began  int64 // position in the ledger
	cast   map[Actor]*role
}

// role is an actor on stage.
type role struct {
	id    platform.UserID
	heard int64           // position in the ledger of the last message that was expected
	post  platform.PostID // what this person posted last
}

func (s *stage) enter(a Actor) {
	if a == "" || s.cast[a] != nil {
		return
	}
	id := s.p.UserID(string(a))
	if id == 0 {
		id = s.p.AddPerson(emulator.Person{Username: string(a), FirstName: capital(string(a))})
	}
	s.cast[a] = &role{id: id, heard: s.began}
}

// notePost notes a new post and reports whether there is one.
func (r *role) notePost(post platform.PostID) bool {
	r.post = post
	return post != 0
}

// awaitDeed returns the first deed of the account after position seq that is the one.
func (s *stage) awaitDeed(ctx context.Context, seq int64, is func(emulator.Entry) bool) (emulator.Entry, error) {
	patience, cancel := context.WithTimeout(ctx, s.script.Patience)
	defer cancel()
	for {
		for e := range s.p.Ledger().After(seq) {
			if e.From == s.script.Account && is(e) {
				return e, nil
			}
			seq = e.Seq
		}
		if err := s.p.Ledger().Wait(patience, seq); ctx.Err() != nil {
			return emulator.Entry{}, ctx.Err()
		} else if err != nil {
			return emulator.Entry{}, fmt.Errorf("nothing came within %v", s.script.Patience)
		}
	}
}

// capital returns name with a capital first letter.
func capital(name string) string {
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}
