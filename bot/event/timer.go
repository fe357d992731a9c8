package event

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// Timer is a durable alarm of a conversation. It fires once, also when its time passed while the
// bot was not running.
type Timer struct {
	Key        Key
	Name       string
	Occurrence int64 // grows each time the timer is set; part of the trigger's id
	Due        time.Time
	Set        time.Time // when it was set to wait for a while; zero when it waits for a time of day
	First      time.Time // when it was due before it was put off, since a person had the conversation; else zero
	Data       []byte    // what the route that set it left for the route that handles it, JSON
}

const timerPrefix = "timer:"

// ID returns the stable name of this occurrence.
func (t Timer) ID() string {
	return timerPrefix + strconv.FormatInt(int64(t.Key.Peer), 10) + "/" + t.Name + "/" + strconv.FormatInt(t.Occurrence, 10)
}

// ParseTimer reads what Timer.ID writes: the peer, the name and the occurrence.
func ParseTimer(id string) (Timer, error) {
	rest, ok := strings.CutPrefix(id, timerPrefix)
	peer, rest, between := strings.Cut(rest, "/")
	last := strings.LastIndexByte(rest, '/')
	if ok && between && last >= 0 {
		who, err := strconv.ParseInt(peer, 10, 64)
		occurrence, bad := strconv.ParseInt(rest[last+1:], 10, 64)
		if err == nil && bad == nil {
			return Timer{Key: Key{Peer: platform.UserID(who)}, Name: rest[:last], Occurrence: occurrence}, nil
		}
	}
	return Timer{}, fmt.Errorf("%q is no id of a timer: it is written like timer:90/reminder/17", id)
}
