package emulator

import "github.com/nectar-bot/nectar/platform"

// ForgetOAuth makes a token of a social identity provider worthless, as its expiry does. Sessions that
// began with it go on.
func (p *Platform) ForgetOAuth(provider string, token platform.Secret) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.oauth, provider+" "+token.Reveal())
}
