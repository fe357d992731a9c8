package record

import "time"

// Restored tells that a database has gone back: what it holds is older than what was done on it.
type Restored struct {
	At   time.Time   `json:"at"`           // when that was found, or said
	Sign CarefulSign `json:"sign"`         // by what
	By   string      `json:"by,omitempty"` // who said so; "" where the bot has found it
	// Aside is the file that was there before a copy was put in its place; "" for none.
	Aside string `json:"aside,omitempty"`
}

// CarefulSign says how it is known that an account has to begin with care.
type CarefulSign string

// The signs. Their values are stored; they never change.
const (
	CarefulSaid       CarefulSign = "said"       // a person has said that a copy was put back
	CarefulCopy       CarefulSign = "copy"       // the file beside the database knows of a later start
	CarefulFailover   CarefulSign = "failover"   // another server goes on with the database, and no commit waited for that one
	CarefulRenumbered CarefulSign = "renumbered" // the platform has numbered its messages anew
	CarefulNothing    CarefulSign = "nothing"    // a person has said that nothing was lost: there is nothing to be careful about
)
