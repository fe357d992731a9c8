package crowd

import "context"

// How often people do more than to write messages, in percent.
const (
	reacts  = 10 // beside a message
	regrets = 30 // takes it back
	insists = 50 // does it again after that
)

// reactTo lets this person do what belongs to message n beside it, which is mostly nothing.
func (m *member) reactTo(ctx context.Context, n int) {
	c := m.crowd
	d := m.diceFor(n, forReaction)
	if !c.cfg.Reactions || !d.hasChance(reacts) {
		return
	}
	p, account, post := c.p, c.cfg.Account, pickOne(d, c.posts)
	switch kind := d.numberBelow(100); {
	case kind < 45 && m.private: // the account may not like what it cannot see
	case kind < 25:
		p.Mention(m.id, account, m.publicText(d))
	case kind < 45:
		p.Reply(m.id, post, m.publicText(d))
	case kind < 60:
		m.toggle(ctx, d,
			func() bool { return p.Like(m.id, post) }, func() bool { return p.Unlike(m.id, post) })
	case kind < 75:
		m.toggle(ctx, d,
			func() bool { return p.Repost(m.id, post) }, func() bool { return p.Unrepost(m.id, post) })
	case kind < 95:
		m.toggle(ctx, d,
			func() bool { return p.Follow(m.id, account) }, func() bool { return p.Unfollow(m.id, account) })
	default:
		p.Visit(m.id, account)
	}
}

// toggle does something, and perhaps takes it back, and perhaps does it again.
func (m *member) toggle(ctx context.Context, d *dice, do, undo func() bool) {
	pause := m.crowd.cfg.Pauses
	again := d.hasChance(insists)
	if !do() || !d.hasChance(regrets) || !sleep(ctx, d.pause(pause)) || !undo() {
		return
	}
	if again && sleep(ctx, d.pause(pause)) {
		do()
	}
}
