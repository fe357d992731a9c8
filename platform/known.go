package platform

import (
	"slices"
	"sync"

	"github.com/nectar-bot/nectar/platform/internal/scrub"
)

// knownSecrets are the secrets of the sign-ins of a client: what a platform says later may repeat them, too.
type knownSecrets struct {
	mu   sync.Mutex // guards the field below
	last []string   // the newest last
}

const mostKnown = 16

func (k *knownSecrets) add(secrets ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= scrub.Plenty && !slices.Contains(k.last, secret) {
			k.last = append(k.last, secret)
		}
	}
	k.last = slices.Delete(k.last, 0, max(0, len(k.last)-mostKnown))
}

// allSecrets returns the secrets of a request, and all that are known.
func (k *knownSecrets) allSecrets(p params) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append(p.secretValues(), k.last...) //mutate:known-secrets
}
