package rules

import "github.com/nectar-bot/nectar/bot/event"

// Kept is the state as a turn keeps it that it was before.
func (v *Version) Kept(s State, masks []event.ID) State { return v.kept(s, masks) }
