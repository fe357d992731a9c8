package event

import (
	"encoding/json"
	"strconv"
)

// Nudge begins a turn of the account's own conversation because the program wants that: at a start, say, or when it has read
// its files anew. It is not stored: when the process ends before the nudge's turn is stored, it is gone.
type Nudge struct {
	Name   string          // what it is about; bot.Nudged matches it
	Number int64           // grows within an account; part of the trigger's id
	Data   json.RawMessage // what the program left for the handler; nil for nothing
}

// id returns the name of this nudge: "nudge:rules/reload/17".
func (n *Nudge) id() string { return "nudge:" + n.Name + "/" + strconv.FormatInt(n.Number, 10) }

// Told is what a person asks of a route of the program, with WishTell.
type Told struct {
	Subject string // the route's
	Text    string // what the route is told
	By      string // who asks; "" when nobody said so
}
