package event

import (
	"encoding/json"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Entry is what stands in one of an account's lists: a lead, a person not to write to. A list has one
// entry of a key.
type Entry struct {
	Account Account
	List    string
	Key     string
	Peer    platform.UserID
	Trigger string // the id of the trigger that led to it; "" for a person
	Text    string
	Data    json.RawMessage // nil for none; nectar lists shows the names and values of an object as columns
	At      time.Time
}
