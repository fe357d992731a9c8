package event

import (
	"net/url"
	"strings"
)

// Reason says to programs why something is as it is: a code with its parameters, such as "crash.repeated?tries=5". It is
// stored and shown in this form; "" is no reason. People read a sentence beside it, which says the same and may be worded
// anew at any time: programs decide by the Reason alone.
type Reason string

// ReasonCode names what a Reason is about, in lower case, with dots between its words: "crash.repeated". It never changes
// once something was stored with it.
type ReasonCode string

// Because makes a reason of a code and of names with their values, in turns: ids, numbers, times, never what people said.
func Because(code ReasonCode, pairs ...string) Reason {
	if len(pairs) == 0 {
		return Reason(code)
	}
	values := make(url.Values, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return Reason(string(code) + "?" + values.Encode())
}

// Code returns the code; "" for no reason.
func (r Reason) Code() ReasonCode {
	code, _, _ := strings.Cut(string(r), "?")
	return ReasonCode(code)
}

// Param returns the value of a name; "" when there is none.
func (r Reason) Param(name string) string {
	_, query, _ := strings.Cut(string(r), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	return values.Get(name)
}
