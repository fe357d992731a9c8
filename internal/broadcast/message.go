// Package broadcast has what is said to many people, one after the other, by the bot's own hand: what it says, when it may be said, and why somebody is
// left out. The command that plans it and the bot that says it both use it.
package broadcast

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	_ "time/tzdata" // zones are known also where the system has no list of them

	"github.com/nectar-bot/nectar/bot/event"
)

// TimerPrefix begins the names of the timers by which it is said to each person; the broadcast's id is behind it.
const TimerPrefix = "nectar/say/"

// What bounds it.
const (
	PersonPause = 7 * 24 * time.Hour  // between two to one person; corrections do not count
	QuietFor    = 30 * 24 * time.Hour // after so long without a word of theirs nobody is written to
	FewTried    = 50                  // so many tries tell something
	MostRefused = 2                   // percent of these that may be refused
	Gap         = 90 * time.Second    // between two people
)

// perDay is how many people may be told something in a day: the first day, the second one, and all others.
var perDay = []int{20, 50, 100}

// MostPerDay returns how many people may be told something in a day, by how many were in the week before.
func MostPerDay(week int) int {
	for i, n := range perDay[:len(perDay)-1] {
		if week < sum(perDay[:i+1]) {
			return n
		}
	}
	return perDay[len(perDay)-1]
}

func sum(all []int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// Why somebody is not told.
const (
	WhySilent      event.ReasonCode = "say.silent"      // they have asked for silence
	WhyOwned       event.ReasonCode = "say.owned"       // a person of ours has the conversation; owner: who
	WhyUnreachable event.ReasonCode = "say.unreachable" // they refused a message lately
	WhyQuiet       event.ReasonCode = "say.quiet"       // they have not written for so long
	WhyLately      event.ReasonCode = "say.lately"      // they were told something else in the last days
	WhyRefused     event.ReasonCode = "say.refused"     // too many have refused it: it has stopped
	WhyStopped     event.ReasonCode = "say.stopped"     // somebody of ours has stopped it
	WhyLater       event.ReasonCode = "say.later"       // not yet: enough were told today, or these are quiet hours
)

// SaidText says why somebody is not told, for people.
func SaidText(why event.Reason) string {
	switch why.Code() {
	case WhySilent:
		return "has asked for silence"
	case WhyOwned:
		return why.Param("owner") + " has the conversation"
	case WhyUnreachable:
		return "has refused a message lately"
	case WhyQuiet:
		return fmt.Sprintf("has not written for %d days", int(QuietFor.Hours()/24))
	case WhyLately:
		return fmt.Sprintf("was told something in the last %d days", int(PersonPause.Hours()/24))
	case WhyRefused:
		return "too many have refused it: it has stopped"
	case WhyStopped:
		return "it was stopped"
	case WhyLater:
		return "put off: enough were told today, or these are quiet hours"
	default:
		return string(why)
	}
}

// Message is what is said to one person.
type Message struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	// Ends stands below the first one that somebody gets: how they end it.
	Ends string `json:"ends,omitempty"`
	// Post is the post below which it is said; 0 for a private message.
	Post int64 `json:"post,omitempty"`
	// Corrects says that it sets right what the bot has said.
	Corrects bool   `json:"corrects,omitempty"`
	Window   Window `json:"window,omitzero"`
}

// TimerName names the timer by which one person is told, in a place.
func (m *Message) TimerName() string {
	if m.Post != 0 {
		return TimerPrefix + m.ID + "/" + strconv.FormatInt(m.Post, 10)
	}
	return TimerPrefix + m.ID
}

// Encode returns the message as a timer keeps it.
func (m *Message) Encode() []byte {
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return data
}

// Window is when it may be said: from a minute of the day to another one, in a zone. The zero Window is always.
type Window struct {
	From int    `json:"from,omitempty"` // minutes since midnight
	To   int    `json:"to,omitempty"`
	Zone string `json:"zone,omitempty"`
}

// Next returns the first moment from at on that is in the window.
func (w Window) Next(at time.Time) time.Time {
	if w.From == w.To {
		return at
	}
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return at
	}
	local := at.In(zone)
	minute := local.Hour()*60 + local.Minute()
	in := w.From <= minute && minute < w.To
	if w.From > w.To { // over midnight
		in = minute >= w.From || minute < w.To
	}
	if in {
		return at
	}
	day := local.Day()
	if minute >= w.From {
		day++
	}
	return time.Date(local.Year(), local.Month(), day, w.From/60, w.From%60, 0, 0, zone)
}

// PlanSlots returns when so many people are told, from now on, when so many were told in the week before.
func PlanSlots(n int, now time.Time, w Window, week int) []time.Time {
	all := make([]time.Time, 0, n)
	at := w.Next(now)
	begun, today := at, 0
	for range n {
		if today == MostPerDay(week) {
			week += today
			begun = w.Next(begun.Add(24 * time.Hour))
			at, today = begun, 0
		}
		all = append(all, at)
		at = w.Next(at.Add(Gap))
		today++
	}
	return all
}

// PersonScope is the scope of the limit that counts what one person was told.
func PersonScope(peer int64) string { return "peer:" + strconv.FormatInt(peer, 10) }

// The limits that count it.
const (
	PersonLimit = "say/person"
	DayLimit    = "say/day"
	EverLimit   = "say/ever" // that somebody was told anything so, once
)

// TriedLimit counts the people to whom it was sent, also those who did not get it.
func (m *Message) TriedLimit() string { return "say/" + m.ID + "/tried" }

// ArrivedLimit counts the people who got it.
func (m *Message) ArrivedLimit() string { return "say/" + m.ID + "/arrived" }

// StopLimit is used once it is said to nobody any more.
func (m *Message) StopLimit() string { return "say/" + m.ID + "/stop" }
