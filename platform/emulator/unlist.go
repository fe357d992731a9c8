package emulator

import "github.com/nectar-bot/nectar/platform"

// Unlist lets the next lists of an account leave out its chat with peer, as a replica does that lags.
func (p *Platform) Unlist(account, peer platform.UserID, lists int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[account]; u != nil {
		if c := u.chats.by[p.users[peer]]; c != nil {
			c.unlisted = lists
		}
	}
}

// leftOut reports whether a list leaves the chat out.
func (c *chat) leftOut() bool {
	if c.unlisted == 0 {
		return false
	}
	c.unlisted--
	return true
}
