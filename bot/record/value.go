package record

import "encoding/json"

// AccountValue is what a plugin keeps for an account under a name.
type AccountValue struct {
	Plugin, Name string
	Version      int64 // another one with each change; 0: nothing is kept
	Value        json.RawMessage
}
