package emulator

import "github.com/nectar-bot/nectar/platform"

// Unread returns how many messages of peer an account has not seen.
func (p *Platform) Unread(account, peer platform.UserID) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[account]; u != nil {
		if c := u.chats.by[p.users[peer]]; c != nil {
			return c.unread
		}
	}
	return 0
}

// HasBlocked reports whether a blocked b.
func (p *Platform) HasBlocked(a, b platform.UserID) bool {
	return p.onUser(a, b, func(u, v *user) bool { return u.blocked[v] })
}

// SetDialect changes the shape of the answers from the next call on.
func (p *Platform) SetDialect(d Dialect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialect = d
	p.dialectVersion++
	p.ahead.Store(int64(d.Clock))
}
