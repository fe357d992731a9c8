package crowd

import (
	"context"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// member is one person of a crowd.
type member struct {
	speaker
	crowd   *Crowd
	id      platform.UserID
	private bool
	share   int // how many messages to write

	open   bool        // a message of this person waits for its answer; the listener's
	last   string      // the text that completes the answer, "" for any; the listener's
	answer chan string // the text that completed an answer
}

// newMember adds the person with number i to the platform.
func (c *Crowd) newMember(i int) *member {
	const private = 5 // percent
	d := newDice(c.cfg.Seed, i, 0, forCharacter)
	who, t := newPerson(i, d.hasChance(private))
	return &member{
		speaker: speaker{seed: c.cfg.Seed, person: i, tongue: t, mood: pickOne(d, moods[:])},
		crowd:   c, id: c.p.AddPerson(who), private: who.Private, share: c.shareOf(i), answer: make(chan string, 1),
	}
}

// writeAll writes all messages of this person, with what belongs between them.
func (m *member) writeAll(ctx context.Context) {
	heard := ""
	for n := 0; n < m.share && sleep(ctx, m.pause(n)); n++ {
		m.forget()
		if m.write(n, heard) != 0 && m.crowd.cfg.Wait {
			heard = m.await(ctx)
		}
		m.reactTo(ctx, n)
	}
}

// write writes message n, and returns its id; heard is what the account said last, as far as this person listens.
func (m *member) write(n int, heard string) platform.MessageID {
	text := m.line(n)
	if asksQuestion(heard) {
		text = m.responseText(n)
	}
	return m.crowd.p.Say(m.id, m.crowd.cfg.Account, text)
}

// pause returns how long this person thinks and types before message n.
func (m *member) pause(n int) time.Duration {
	const burst = 8 // how much faster the further messages of a burst come
	d := m.diceFor(n, forPause)
	mean := m.crowd.cfg.Pauses
	if n > 0 && d.hasChance(m.oftenFor(chatty, 10, 60)) {
		mean /= burst
	}
	switch m.mood {
	case hasty:
		mean /= 2
	case longwinded:
		mean *= 2
	default:
	}
	return d.pause(mean)
}

// noteAsked is told by the listener that a message of this person reached the platform.
func (m *member) noteAsked(said emulator.Entry) {
	m.open, m.last = true, ""
	if m.crowd.cfg.Replies == nil {
		return
	}
	for _, text := range m.crowd.cfg.Replies(said) {
		if text = strings.TrimSpace(text); text != "" {
			m.last = text
		}
	}
	if m.last == "" {
		m.release("") // gets no answer
	}
}

// noteAnswered is told by the listener that the account wrote to this person.
func (m *member) noteAnswered(arrived emulator.Entry) {
	if m.open && (m.last == "" || strings.TrimSpace(arrived.Text) == m.last) {
		m.release(arrived.Text)
	}
}

func (m *member) release(text string) {
	m.open = false
	select {
	case m.answer <- text:
	default: // nobody waits any more
	}
}

// forget drops an answer that came after this person had stopped waiting for it.
func (m *member) forget() {
	select {
	case <-m.answer:
	default:
	}
}

// await waits for the answer and returns it, "" when there is none.
func (m *member) await(ctx context.Context) string {
	patience := time.NewTimer(m.crowd.cfg.Patience)
	defer patience.Stop()
	select {
	case text := <-m.answer:
		return text
	case <-patience.C:
	case <-ctx.Done():
	}
	return ""
}

// sleep waits and reports whether ctx still lives then.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
