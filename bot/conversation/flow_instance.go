package conversation

import (
	"encoding/json"
	"time"
)

// Instance is where a conversation stands in a flow. The zero value stands in none.
type Instance struct {
	Flow    string          `json:"flow,omitempty"`
	State   string          `json:"state,omitempty"`
	Version int             `json:"version,omitempty"` // of Data
	Data    json.RawMessage `json:"data,omitempty"`

	// Since is when the state began to wait: when it was entered, or last handled an answer. UTC, whole milliseconds.
	Since time.Time `json:"since,omitzero"`

	// Reminded is how many reminders of the state the person has had since.
	Reminded int `json:"reminded,omitempty"`
}

// Active reports whether the instance stands in a flow.
func (in Instance) Active() bool { return in.Flow != "" }
