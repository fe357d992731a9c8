package record

import (
	"maps"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// Judgement is how a process stands that runs a bot, and how its accounts do. The process stores it about itself; the reader adds what the process
// cannot know, such as that it has died. All that shows the state of a bot to people goes by it.
type Judgement struct {
	Version  string                      `json:"version,omitempty"` // of the program
	Seen     time.Time                   `json:"seen,omitzero"`     // its last sign of life; zero where none is known
	Process  []Trouble                   `json:"process,omitempty"`
	Accounts map[event.Account][]Trouble `json:"accounts,omitempty"` // what is wrong, for accounts that are not well
	More     int                         `json:"more,omitempty"`     // accounts beside these that are not well
}

// Trouble is one thing that is not well.
type Trouble struct {
	Why    event.Reason `json:"why"`
	Worker string       `json:"worker,omitempty"` // where several share a database
	Since  time.Time    `json:"since,omitzero"`
	Says   string       `json:"says"`         // the same, for people
	Do     string       `json:"do,omitempty"` // what a person can do
}

// The codes of what is not well, and of why somebody waits.
const (
	TroubleNone      event.ReasonCode = "process.none"       // no bot runs
	TroubleElsewhere event.ReasonCode = "database.elsewhere" // it has come to another server: no worker begins before somebody says what it is
	TroubleDied      event.ReasonCode = "process.died"       // it has not ended by itself
	TroubleSilent    event.ReasonCode = "process.silent"     // it runs, and shows no sign of life
	TroubleStore     event.ReasonCode = "store.refuses"      // nothing can be stored
	TroubleDisk      event.ReasonCode = "disk.low"           // hardly anything is free
	TroubleClock     event.ReasonCode = "clock.wrong"        // this machine's differs from the platform's; source: of which, ahead: by how much this one is
	TroubleRules     event.ReasonCode = "rules.broken"       // files do not load; files: how many
	TroubleRefused   event.ReasonCode = "session.refused"    // a person must act before it signs in again; by: password, token, another (somebody else), none
	TroubleSession   event.ReasonCode = "session.paused"     // there is none for now
	TroubleGone      event.ReasonCode = "platform.gone"      // nothing can be read
	TroubleUnhealthy event.ReasonCode = "source.unhealthy"   // nothing new is heard; source: of which
	TroubleSecondBot event.ReasonCode = "account.second_bot" // another bot answers on it, and nothing leaves here
	TroubleLate      event.ReasonCode = "actions.late"       // what is due waits for long, and longer and longer; by: pace, host, platform
	TroubleLines     event.ReasonCode = "log.lines_lost"     // nobody reads the log; lines: how many

	WaitsUnanswered  event.ReasonCode = "words.unanswered"   // nobody answered; outcome: of the turn that had the last words
	WaitsOwned       event.ReasonCode = "conversation.owned" // a person or team has the conversation; owner: who
	WaitsCalled      event.ReasonCode = "rule.calls"         // rule: which leaves it to a person of ours
	WaitsFailed      event.ReasonCode = "answer.failed"      // action: what was to be said; state: what became of it
	WaitsHeld        event.ReasonCode = "action.held"        // what is to be said, or done, waits for a person
	WaitsQuarantined event.ReasonCode = "event.quarantined"  // what was said failed too often
)

// Well reports whether nothing is wrong.
func (j *Judgement) Well() bool { return len(j.Process) == 0 && len(j.Accounts) == 0 && j.More == 0 }

// Names returns the accounts that are not well and named, in their order.
func (j *Judgement) Names() []event.Account { return slices.Sorted(maps.Keys(j.Accounts)) }

// Of returns what is not well with an account: what is with its process comes first.
func (j *Judgement) Of(account event.Account) []Trouble {
	return append(append([]Trouble(nil), j.Process...), j.Accounts[account]...)
}
