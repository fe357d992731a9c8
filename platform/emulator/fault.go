package emulator

import (
	"fmt"
	"time"
)

// Fault is one way in which a call goes wrong.
type Fault uint8

// The faults. A call is handled when its effect took place, also when its caller gets an error or no answer.
const (
	NoFault      Fault = iota
	CutBefore          // the connection is cut; not handled
	CutAfter           // handled, and the connection is cut before the answer
	Err500Before       // code 500; not handled
	Err500After        // handled, and answered with code 500
	Bad502             // HTTP 502 with an HTML page; not handled
	Slow               // handled after a delay, unless the caller gives up before
	Truncated          // handled, and half of the JSON answered
	Notice             // handled, with a notice of PHP before the JSON
	TooMany            // HTTP 429, or code 429 in JSON, or both, with Retry-After or without; not handled
	ExpireEarly        // the session has expired; what it was for is refused
	Revoke             // the session and its refresh token are gone
	Late               // the connection is cut, and the call handled after a while
	Switched           // handled, and answered with HTTP 101; then the connection says nothing, and stays open
	Endless            // handled, and half of the JSON answered; then the answer goes on for ever without a byte
	faultCount
)

var faultNames = [faultCount]string{
	"none", "cut before", "cut after", "500 before", "500 after", "502", "slow", "truncated", "notice",
	"too many", "expire early", "revoke", "late", "switched", "endless",
}

// String returns the fault in lower-case words.
func (f Fault) String() string {
	if f < faultCount {
		return faultNames[f]
	}
	return "unknown"
}

// Faults says which share of the calls each fault befalls, between 0 and 1. A call gets one at most. The zero value leaves
// all calls alone.
//
// What befalls a call is drawn from the seed, its endpoint, its account, its parameters without
// tokens, and how many such calls there were before: never from the order in which different calls
// arrive. The same call, repeated, draws anew.
type Faults struct {
	CutBefore    float64
	CutAfter     float64
	Err500Before float64
	Err500After  float64
	Bad502       float64
	Slow         float64
	Truncated    float64
	Notice       float64
	TooMany      float64
	ExpireEarly  float64
	Revoke       float64
	Late         float64
	Switched     float64
	Endless      float64

	// Delay is the longest delay of a slow call; the shortest is half of it. Defaults to 500 ms.
	Delay time.Duration
	// Lag is the longest time after its connection was cut at which a late call is handled; the shortest is half of
	// it. Defaults to 19 s: a platform may be a little slower than that before a bot is at fault.
	Lag time.Duration
	// Unreadable is what posts say that are broken: who reads one, or the replies to it, gets code 500. Empty for none.
	Unreadable string
}

// Rough disturbs 5 % of the calls.
func Rough() Faults {
	return Faults{
		CutBefore: 0.006, CutAfter: 0.008, Err500Before: 0.005, Err500After: 0.005, Bad502: 0.005, Slow: 0.006,
		Truncated: 0.005, Notice: 0.004, TooMany: 0.004, ExpireEarly: 0.0015, Revoke: 0.0005, Switched: 0.001,
	}
}

// Hostile disturbs 20 % of the calls.
func Hostile() Faults {
	return Faults{
		CutBefore: 0.025, CutAfter: 0.035, Err500Before: 0.02, Err500After: 0.025, Bad502: 0.02, Slow: 0.02,
		Truncated: 0.02, Notice: 0.015, TooMany: 0.015, ExpireEarly: 0.004, Revoke: 0.001, Switched: 0.004,
	}
}

// ParseFaults returns the faults of that name: none, rough or hostile.
func ParseFaults(name string) (Faults, error) {
	switch name {
	case "none":
		return Faults{}, nil
	case "rough":
		return Rough(), nil
	case "hostile":
		return Hostile(), nil
	default:
		return Faults{}, fmt.Errorf("unknown faults %q: want none, rough or hostile", name)
	}
}

// faultShares returns the shares in the order of the Fault constants, from CutBefore on.
func (f Faults) faultShares() [faultCount - 1]float64 {
	return [...]float64{
		f.CutBefore, f.CutAfter, f.Err500Before, f.Err500After, f.Bad502, f.Slow, f.Truncated, f.Notice,
		f.TooMany, f.ExpireEarly, f.Revoke, f.Late, f.Switched, f.Endless,
	}
}
