package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
)

// keptLimitUses are the limit uses that are stored with an action.
type keptLimitUses struct {
	Wants []keptLimitUse `json:"wants,omitempty"` // taken when the action is released
	Has   []keptLimitUse `json:"has,omitempty"`   // taken; given back when the action does not come about
}

type keptLimitUse struct {
	Limit    string        `json:"limit"`
	Scope    string        `json:"scope"`
	Max      int           `json:"max,omitempty"`
	Within   time.Duration `json:"within,omitempty"` // nanoseconds
	GiveBack bool          `json:"give_back,omitempty"`
}

// isFailed reports whether an action ended without coming about.
func isFailed(s event.State) bool {
	return s == event.StateRefused || s == event.StateWithdrawn || s == event.StateDead
}

// ClaimantKey returns the key under which the turn's own limit uses are kept.
func (t *Turn) ClaimantKey() string {
	if t.LimitUseKey != "" {
		return t.LimitUseKey
	}
	return t.Trigger.ID()
}

// limitUses returns the turn's own limit uses that are to be taken: of an action that will not come about, none that
// would be given back.
func (t *Turn) limitUses() []event.LimitUse {
	if len(t.LimitUses) == 0 || !slices.ContainsFunc(t.Actions, func(a record.Action) bool { return a.Key == t.LimitUseKey && isFailed(a.State) }) {
		return t.LimitUses
	}
	return slices.DeleteFunc(slices.Clone(t.LimitUses), func(c event.LimitUse) bool { return c.GiveBack })
}

// limitUsesOf returns those of the turn's own limit uses that belong to an action.
func (t *Turn) limitUsesOf(key string) (own []event.LimitUse) {
	for i := range t.LimitUses {
		if c := &t.LimitUses[i]; c.Of == key || c.Of == "" && key == t.LimitUseKey {
			own = append(own, *c)
		}
	}
	return own
}

// limitUsesOf returns the limit uses to be stored with an action, "" for none, or for those that are there.
func limitUsesOf(t *Turn, x *record.Action) (string, error) {
	var kept keptLimitUses
	owned := t.limitUsesOf(x.Key)
	switch {
	case isFailed(x.State):
		return "", nil
	case x.State == event.StateHeld && !x.Held:
		for _, c := range x.LimitUses {
			kept.Wants = append(kept.Wants, keptLimitUse{c.Limit, c.Scope, c.Max, c.Within, c.GiveBack})
		}
	case !x.Held:
		kept.has(x.LimitUses)
	}
	kept.has(owned)
	if len(kept.Wants)+len(kept.Has) == 0 && (!x.Held || len(owned) == 0) {
		return "", nil
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return "", fmt.Errorf("encode the limit uses of %s: %w", x.Key, err)
	}
	return string(text), nil
}

// has adds those of limit uses that are given back.
func (k *keptLimitUses) has(limitUses []event.LimitUse) {
	for _, c := range limitUses {
		if c.GiveBack {
			k.Has = append(k.Has, keptLimitUse{Limit: c.Limit, Scope: c.Scope})
		}
	}
}

// giveLimitUsesBack deletes the limit uses of an action that has ended without coming about.
func (a *applier) giveLimitUsesBack(account event.Account, key string) error {
	return a.giveBack.key(account).str(key).do()
}
