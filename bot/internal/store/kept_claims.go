package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// keptClaims are the claims that are stored with an action.
type keptClaims struct {
	Wants []keptClaim `json:"wants,omitempty"` // taken when the action is released
	Has   []keptClaim `json:"has,omitempty"`   // taken; given back when the action does not come about
}

type keptClaim struct {
	Limit    string        `json:"limit"`
	Scope    string        `json:"scope"`
	Max      int           `json:"max,omitempty"`
	Within   time.Duration `json:"within,omitempty"` // nanoseconds
	GiveBack bool          `json:"give_back,omitempty"`
}

// failed tells whether an action ended without coming about.
func failed(s event.State) bool {
	return s == event.StateRefused || s == event.StateWithdrawn || s == event.StateDead
}

// Claimant returns the key under which the turn's own claims are kept.
func (t *Turn) Claimant() string {
	if t.ClaimKey != "" {
		return t.ClaimKey
	}
	return t.Trigger.ID()
}

// claims returns the turn's own claims that are to be taken: of an action that will not come about, none that
// would be given back.
func (t *Turn) claims() []event.Claim {
	if len(t.Claims) == 0 || !slices.ContainsFunc(t.Actions, func(a record.Action) bool { return a.Key == t.ClaimKey && failed(a.State) }) {
		return t.Claims
	}
	return slices.DeleteFunc(slices.Clone(t.Claims), func(c event.Claim) bool { return c.GiveBack })
}

// claimsOf returns those of the turn's own claims that belong to an action.
func (t *Turn) claimsOf(key string) (own []event.Claim) {
	for i := range t.Claims {
		if c := &t.Claims[i]; c.Of == key || c.Of == "" && key == t.ClaimKey {
			own = append(own, *c)
		}
	}
	return own
}

// claimsOf returns the claims to be stored with an action, "" for none, or for those that are there.
func claimsOf(t *Turn, x *record.Action) (string, error) {
	var kept keptClaims
	owned := t.claimsOf(x.Key)
	switch {
	case failed(x.State):
		return "", nil
	case x.State == event.StateHeld && !x.Held:
		for _, c := range x.Claims {
			kept.Wants = append(kept.Wants, keptClaim{c.Limit, c.Scope, c.Max, c.Within, c.GiveBack})
		}
	case !x.Held:
		kept.has(x.Claims)
	}
	kept.has(owned)
	if len(kept.Wants)+len(kept.Has) == 0 && (!x.Held || len(owned) == 0) {
		return "", nil
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return "", fmt.Errorf("encode the claims of %s: %w", x.Key, err)
	}
	return string(text), nil
}

// has adds those of claims that are given back.
func (k *keptClaims) has(claims []event.Claim) {
	for _, c := range claims {
		if c.GiveBack {
			k.Has = append(k.Has, keptClaim{Limit: c.Limit, Scope: c.Scope})
		}
	}
}

// giveClaimsBack deletes the claims of an action that has ended without coming about.
func (a *applier) giveClaimsBack(account event.Account, key string) error {
	return a.giveBack.key(account).str(key).do()
}
