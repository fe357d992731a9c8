package emulator

import (
	"github.com/nectar-bot/nectar/platform"
)

// Expire ends the sessions of an account. Their refresh tokens go on.
func (p *Platform) Expire(account platform.UserID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessionsOf(account) {
		p.expireSession(s)
	}
}

// Revoke ends the sessions of an account and its refresh tokens: it has to sign in again.
func (p *Platform) Revoke(account platform.UserID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessionsOf(account) {
		p.revoke(s)
	}
}

// RevokeRefresh ends the refresh tokens of an account. Its sessions go on.
func (p *Platform) RevokeRefresh(account platform.UserID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessionsOf(account) {
		delete(p.refreshes, s.refresh)
	}
}

// SetPassword changes the password of an account. Its sessions go on.
func (p *Platform) SetPassword(account platform.UserID, password platform.Secret) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[account]; u != nil {
		u.password = password
	}
}

// SetOAuth lets an account sign in with a token of a social identity provider: facebook, google or
// twitter. Without an account the token is worthless, as when it has expired; sessions that began with it go on.
func (p *Platform) SetOAuth(account platform.UserID, provider string, token platform.Secret) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[account]; u != nil {
		p.oauth[provider+" "+token.Reveal()] = u
	} else if account == 0 {
		delete(p.oauth, provider+" "+token.Reveal())
	}
}

// SetPrivacy changes whether a profile is private and whether it refuses messages.
func (p *Platform) SetPrivacy(who platform.UserID, private, refuseMessages bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.users[who]; u != nil {
		u.person.Private, u.person.RefuseMessages = private, refuseMessages
	}
}
