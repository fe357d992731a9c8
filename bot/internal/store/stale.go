package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"github.com/nectar-bot/nectar/bot/internal/sqlite"
	"github.com/nectar-bot/nectar/bot/record"
)

// When a page of a tree is full, SQLite moves rows to the next one. What it leaves behind in the part of the page that is
// not used is no deleted row, so secure_delete does not overwrite it; nor is it ever read. It is looked for by what the
// rows said.

// stale knows how to tell what is left of a person's rows.
type stale struct {
	all   bool                // it does not know what they said: everything unused is overwritten
	marks map[uint64][][]byte // by their first eight bytes
	short [][]byte            // less than eight bytes
	seen  map[string]struct{}
}

const shortest = 3 // bytes of what is looked for

// add adds what is to be looked for.
func (s *stale) add(text string) {
	if _, ok := s.seen[text]; ok || len(text) < shortest {
		return
	}
	if s.seen == nil {
		s.seen, s.marks = map[string]struct{}{}, map[uint64][][]byte{}
	}
	s.seen[text] = struct{}{}
	b := []byte(text)
	if len(b) < 8 {
		s.short = append(s.short, b)
		return
	}
	first := binary.BigEndian.Uint64(b)
	s.marks[first] = append(s.marks[first], b)
}

// learnPerson takes in what is kept of a person. What the bot says to everybody is looked for with the key before it.
func (s *stale) learnPerson(p *record.Person) {
	if c := p.Conversation; c != nil {
		s.add(c.Name)
		s.add(c.User)
		for name, v := range c.Values {
			s.add(name + `":` + string(v))
		}
		s.add(string(c.Flow.Data))
	}
	for i := range p.Events {
		e := &p.Events[i]
		for _, text := range []string{e.Name, e.User, e.Text, e.Image, e.Record.Note, string(e.Record.Before)} {
			s.add(text)
		}
	}
	for i := range p.Actions {
		s.add(p.Actions[i].Key + packed(int64(p.Actions[i].Peer)) + string(p.Actions[i].Verb))
	}
	for i := range p.Approvals {
		s.add(p.Approvals[i].Key + p.Approvals[i].Group) // which stands before the effects
	}
	for i := range p.Strays {
		s.add(p.Strays[i].Text)
	}
	for i := range p.Turns {
		s.add(p.Turns[i].Record.Note)
		s.add(string(p.Turns[i].Record.Before))
	}
	for i := range p.Timers {
		s.add(string(p.Timers[i].Data))
	}
	for i := range p.Entries {
		s.add(p.Entries[i].Key + packed(int64(p.Key.Peer)))
		s.add(string(p.Entries[i].Data))
	}
	for i := range p.Notices {
		s.add(p.Notices[i].Text)
		s.add(string(p.Notices[i].Details))
	}
	for _, f := range p.Facts {
		s.add(f.Name + string(f.Value))
	}
	s.add(timersOf(p)) // what is left may be cut before the slash
	for _, c := range p.LimitUses {
		s.add(c.Scope)
	}
}

// packed writes a number as it stands in a row.
func packed(n int64) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(n))
	for _, size := range []int{1, 2, 3, 4, 6} {
		if shift := 64 - 8*size; n<<shift>>shift == n {
			return string(b[8-size:])
		}
	}
	return string(b)
}

// in reports whether something of the person is in a part of a page.
func (s *stale) in(unused []byte) bool {
	if s.all {
		return bytes.ContainsFunc(unused, func(r rune) bool { return r != 0 })
	}
	for _, b := range s.short {
		if bytes.Contains(unused, b) {
			return true
		}
	}
	for i := 0; i+8 <= len(unused); i++ {
		for _, b := range s.marks[binary.BigEndian.Uint64(unused[i:])] {
			if bytes.HasPrefix(unused[i:], b) {
				return true
			}
		}
	}
	return false
}

// unused returns the parts of a page of a tree that nothing stands in; nil for another page.
func unused(page []byte, number int64) (parts [][]byte) {
	head := 0
	if number == 1 { // it begins with the head of the file
		head = 100
	}
	if len(page) < head+12 {
		return nil
	}
	size := 8
	switch page[head] {
	case 2, 5: // inside a tree
		size = 12
	case 10, 13: // at its end
	default:
		return nil
	}
	at := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	from, to := head+size+2*at(head+3), at(head+5)
	if to == 0 {
		to = 1 << 16
	}
	if from > to || to > len(page) {
		return nil
	}
	parts = append(parts, page[from:to]) //mutate:forget-moved
	for free := at(head + 1); free >= to && free+4 <= len(page); free = at(free) {
		end := free + at(free+2)
		if end > len(page) || end < free+4 {
			return parts
		}
		parts = append(parts, page[free+4:end])
		if next := at(free); next <= free {
			break
		}
	}
	return parts
}

// find returns the pages in which something of the person is left in unused parts.
func (s *stale) find(ctx context.Context, path string) (pages []int64, err error) {
	c, err := sqlite.Open(path, sqlite.ReadingPragmas())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	read, err := c.Prepare(`SELECT pgno, data FROM sqlite_dbpage('main')`)
	if err != nil {
		return nil, err
	}
	defer read.Close()
	_, err = read.Each(func() {
		number := read.ColumnNumber(0)
		for _, part := range unused(read.Bytes(1), number) {
			if ctx.Err() == nil && s.in(part) {
				pages = append(pages, number)
				return
			}
		}
	})
	if err == nil {
		err = context.Cause(ctx)
	}
	return pages, err
}

// overwritePages overwrites the parts of pages that nothing stands in.
func (a *applier) overwritePages(pages []int64) error {
	for _, number := range pages {
		var page []byte
		if _, err := a.readPage.int(number).each(func() { page = bytes.Clone(a.readPage.ofFile().Bytes(0)) }); err != nil {
			return err
		}
		parts := unused(page, number)
		for _, part := range parts {
			clear(part)
		}
		if len(parts) == 0 {
			continue
		}
		if err := a.writePage.addSealed(page).int(number).do(); err != nil {
			return err
		}
	}
	return nil
}
