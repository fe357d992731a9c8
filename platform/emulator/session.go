package emulator

import (
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// session is a sign-in of an account. An account may have several.
type session struct {
	account *user
	token   string
	refresh string
	expires time.Time
	ended   bool    // expired by force, renewed or logged out; the refresh token may outlive it
	pending []media // uploaded, waiting for the next post
}

// admitsCall finds the session that a call brings along, and reports whether the call may be served.
func (p *Platform) admitsCall(c *call) bool {
	token := c.params.get("session_id")
	if c.endpoint.access == entrance || token == "" {
		return c.endpoint.access != protected
	}
	s := p.sessions[token]
	if s == nil || s.ended || !c.now.Before(s.expires) {
		return c.endpoint.access == public && p.dialect.StaleIsAnonymous
	}
	c.session, c.account = s, s.account
	s.account.active = c.now
	return true
}

// sessionOf returns the session that a call names in any way, also an ended one.
func (p *Platform) sessionOf(c *call) *session {
	if token := c.params.get("refresh_token"); token != "" {
		return p.refreshes[token]
	}
	return p.sessions[c.params.get("session_id")]
}

func (p *Platform) unauthorizedRefusal() *refusal {
	if p.dialect.Unauthorized400 {
		return &refusal{codeInvalid, "Invalid request or invalid token", "invalid_token"}
	}
	return &refusal{codeUnauthorized, "Unauthorized Access", "unauthorized_access"}
}

func (p *Platform) openSession(u *user, refresh string, now time.Time) *session {
	s := &session{account: u, token: p.ids.nextToken(), refresh: refresh, expires: now.Add(p.cfg.SessionTTL)}
	if s.refresh == "" {
		s.refresh = p.ids.nextToken()
	}
	p.sessions[s.token] = s
	p.refreshes[s.refresh] = s
	return s
}

// expireSession ends a session. Its refresh token goes on.
func (p *Platform) expireSession(s *session) { s.ended = true }

// revoke ends a session and its refresh token.
func (p *Platform) revoke(s *session) {
	s.ended = true
	delete(p.sessions, s.token)
	delete(p.refreshes, s.refresh)
}

// serveLogin serves POST login.
func (p *Platform) serveLogin(c *call) {
	u := p.emails[strings.ToLower(c.params.get("email"))]
	if u == nil || u.password == "" || u.password.Reveal() != c.params.get("password") {
		c.refuseCall(&refusal{codeCredentials, "Incorrect Credentials", "incorrect_credentials"})
		return
	}
	p.signIn(c, u)
}

// loginOAuth serves POST oauth.
func (p *Platform) loginOAuth(c *call) {
	provider := c.params.get("type")
	switch provider {
	case "facebook", "google", "twitter":
	default:
		c.refuseCall(&refusal{codeInvalid, "Provider type is missing or invalid", "invalid_provider"})
		return
	}
	u := p.oauth[provider+" "+c.params.get("access_token")]
	if u == nil {
		c.openWith(refusal{codeCredentials, "Access token is missing or invalid", "invalid_access_token"})
		c.writeNothing()
		c.key("error")
		c.openObject()
		c.text("error", "invalid_request")
		c.text("error_description", "Invalid Credentials")
		c.closeObject()
		c.close()
		return
	}
	p.signIn(c, u)
}

func (p *Platform) signIn(c *call, u *user) {
	switch c.params.get("device_type") {
	case "", "android", "ios":
	default:
		c.refuseCall(&refusal{codeCredentials, "Incorrect device type", "incorrect_device_type"})
		return
	}
	s := p.openSession(u, "", c.now)
	p.logins++
	u.active = c.now
	p.ledger.add(Entry{Kind: LoggedIn, From: u.id, ByAPI: true})
	c.open("User logged in successfully")
	c.openObject()
	if c.dialect.LoginNested {
		c.key("user")
		c.openObject()
		c.nestedUser(u)
		c.closeObject()
	} else {
		c.profileMembers(u)
	}
	if c.dialect.TokensInData {
		c.tokens(s, false)
	}
	c.closeObject()
	if !c.dialect.TokensInData {
		c.auth(s, false)
	}
	c.close()
}

// serveRefresh serves POST refresh_access_token.
func (p *Platform) serveRefresh(c *call) {
	old := p.refreshes[c.params.get("refresh_token")]
	if old == nil {
		c.refuseCall(p.unauthorizedRefusal())
		return
	}
	d := c.dialect
	keeps := d.RefreshKeeps || d.RefreshOmits
	token := ""
	if keeps {
		token = old.refresh
	} else {
		delete(p.refreshes, old.refresh)
	}
	if !d.OldSessionStays {
		p.expireSession(old)
		delete(p.sessions, old.token)
	}
	s := p.openSession(old.account, token, c.now)
	s.pending = old.pending
	p.renewals++
	p.ledger.add(Entry{Kind: Refreshed, From: s.account.id, ByAPI: true})
	c.open("Access token refreshed successfully")
	if d.RefreshInAuth {
		c.writeNothing()
		c.auth(s, d.RefreshOmits)
	} else {
		c.openObject()
		c.tokens(s, d.RefreshOmits)
		c.closeObject()
	}
	c.close()
}

// serveLogout serves POST logout.
func (p *Platform) serveLogout(c *call) {
	p.revoke(c.session)
	c.done("Logged out successfully")
}

func (c *call) auth(s *session, omitRefresh bool) {
	c.key("auth")
	c.openObject()
	c.tokens(s, omitRefresh)
	c.closeObject()
}

func (c *call) tokens(s *session, omitRefresh bool) {
	c.text("auth_token", s.token)
	if !omitRefresh {
		c.text("refresh_token", s.refresh)
	}
	switch {
	case c.dialect.ExpiryAbsent:
	case c.dialect.ExpiryMillis:
		c.writeNumber("auth_token_expiry", c.shownClock(s.expires).UnixMilli())
	default:
		c.writeNumber("auth_token_expiry", c.shownClock(s.expires).Unix())
	}
}

// sessionsOf returns the sessions of an account, also ended ones.
func (p *Platform) sessionsOf(account platform.UserID) []*session {
	var out []*session
	for _, s := range p.sessions {
		if s.account.id == account {
			out = append(out, s)
		}
	}
	return out
}
