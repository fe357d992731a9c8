package store

import "encoding/json"

// The kinds of notices that the bot itself leaves; see Notice.Kind.
const (
	CallQuarantine = "quarantine" // something could not be handled
	CallSecondBot  = "second_bot" // another bot answers on the account
)

// Details are what a notice says beside its text.
type Details struct {
	Name string `json:"name,omitempty"` // of the person
	User string `json:"user,omitempty"` // without @

	Said   string `json:"said,omitempty"`   // what they wrote
	Answer string `json:"answer,omitempty"` // what the bot would say
	Ask    string `json:"ask,omitempty"`    // what is asked of whoever reads it
	Do     string `json:"do,omitempty"`     // the command that does it; {who} stands for the person
	Plain  bool   `json:"plain,omitempty"`  // the text says no more than the other fields
	Over   bool   `json:"over,omitempty"`   // what was told before has ended
}

// Encode returns the details as a Notice has them.
func (d *Details) Encode() []byte {
	encoded, err := json.Marshal(d)
	if err != nil {
		panic(err) // texts and truths always encode
	}
	return encoded
}

// Detailed returns what a notice says beside its text, as far as it can be read.
func (n *Notice) Detailed() Details {
	var d Details
	if json.Unmarshal(n.Details, &d) != nil {
		return Details{}
	}
	return d
}
