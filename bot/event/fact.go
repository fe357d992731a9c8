package event

import (
	"encoding/json"
	"time"
)

// Fact is something read from the platform for a turn, or recorded by one, stored with it: the turn
// sees the same value when it runs again.
type Fact struct {
	Name   string // "post:410", "profile:90", "once:order-number"
	Value  json.RawMessage
	ReadAt time.Time
}
