package decision

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
	"github.com/nectar-bot/nectar/platform"
)

// State is a conversation as the engine sees it. A decision says what it is afterwards.
type State struct {
	Peer       platform.UserID       `json:"peer"`
	Name       string                `json:"name,omitempty"`
	User       string                `json:"user,omitempty"`
	Owner      string                `json:"owner,omitempty"` // "" is the bot
	OwnerFor   time.Duration         `json:"owner_for,omitempty"`
	OwnerWrote time.Time             `json:"owner_wrote,omitzero"`
	Attended   time.Time             `json:"attended,omitzero"`   // when a person of ours last took it over, or gave it back
	Acked      time.Time             `json:"acked,omitzero"`      // when a person of ours last said that they see to it
	TakenBack  time.Time             `json:"taken_back,omitzero"` // when what waited to be said was last taken back
	Silence    conversation.Silence  `json:"silence,omitzero"`    // the person wants to be left alone
	Labels     []string              `json:"labels,omitempty"`
	Flow       conversation.Instance `json:"flow,omitzero"`
	Memory     Memory                `json:"memory,omitzero"`
}

// What is kept of people who wait for an answer: what they wrote, and what they were told since.
type (
	Asked = waiting.Asked
	Told  = waiting.Told
)

// Memory is what the engine keeps of a conversation beside its labels and its step.
type Memory struct {
	Burst    *Burst         `json:"burst,omitempty"`   // messages that wait for the rest of what the person writes
	Used     map[string]int `json:"used,omitempty"`    // how often each list of texts was used, by its place in the files
	Answered time.Time      `json:"answered,omitzero"` // when the bot last decided to say something
	// Introduced is when a person was first told who writes there.
	Introduced time.Time `json:"introduced,omitzero"`
	Spoken     bool      `json:"spoken,omitempty"` // the person has said something before
	Writes     string    `json:"writes,omitempty"` // the language that the person last wrote in, where rules ask for it
	// Waiting is since when somebody waits for an answer, by the rule that does something about it.
	Waiting map[string]time.Time `json:"waiting,omitempty"`
	// Asked is what they have written, by the same names, the oldest first. What began to wait with an approval, or by an earlier version, stands with
	// its timer alone.
	Asked map[string][]Asked `json:"asked,omitempty"`
	// Called is the last call of a team about the person, with the longest time after which a call was due.
	Called *Asked `json:"called,omitempty"`
	// Told is what the bot has decided to say to the person meanwhile.
	Told []Told `json:"told,omitempty"`
	// StopTold is when a team was last told what a person writes who has asked for silence.
	StopTold time.Time `json:"stop_told,omitzero"`
	Held     []Held    `json:"held,omitempty"` // what was prepared last, by rule and post
	// Due is when what was said last leaves: under "", and by rule what stands behind a wait.
	Due map[string]time.Time `json:"due,omitempty"`
}

// Held is an answer that was prepared for a person of ours to approve.
type Held struct {
	Rule string          `json:"rule"`
	Post platform.PostID `json:"post,omitempty"` // that it is about
	Key  string          `json:"key"`            // of its action
}

// Burst is what somebody wrote in a row.
type Burst struct {
	Events []event.ID `json:"events"`
	Texts  []string   `json:"texts"`
	Image  string     `json:"image,omitempty"`
	First  time.Time  `json:"first"`
	From   time.Time  `json:"from,omitzero"` // how early the first one may have been said, if that is known
	Seen   time.Time  `json:"seen"`          // the last one's
	Before time.Time  `json:"before,omitzero"`
	Said   time.Time  `json:"said,omitzero"`
	Due    time.Time  `json:"due,omitzero"`     // when it is answered
	Begins bool       `json:"begins,omitempty"` // its first message has ended a silence
}

// Progress is what a conversation with steps has come to.
type Progress struct {
	Answers map[string]Answer `json:"answers,omitempty"`
	Day     string            `json:"day,omitempty"` // the name of the last answer that is a day
	// Taken are answers of the message that began it, by the steps that have not asked for them yet; Untold those that the person has not been told.
	Taken   map[string]Answer `json:"taken,omitempty"`
	Untold  map[string]string `json:"untold,omitempty"`
	Took    *Answer           `json:"took,omitempty"`    // by the step that was entered last, which does not ask
	Wrong   int               `json:"wrong,omitempty"`   // answers in this step that were none
	Asked   time.Time         `json:"asked,omitzero"`    // when the last question leaves
	Trigger string            `json:"trigger,omitempty"` // what began it
	// Question is the key of the action that asks the last question, until that is known to be done. Earlier versions kept that
	// of a question alone that a person has to approve, and read any other in the same way.
	Question string `json:"question,omitempty"`
	// Paused says that the conversation did not act when the person had been silent: silence counts anew once it does.
	Paused bool `json:"paused,omitempty"`
	// Handed is when a rule that is always asked gave the conversation away within the step, until the bot has it back; Back is when it last had.
	Handed time.Time `json:"handed,omitzero"`
	Back   time.Time `json:"back,omitzero"`
}

// Masked is what stands in place of a private answer.
const Masked = "(private)"

// Masked returns the state as it may be shown: without private answers.
func (s State) Masked() State {
	s.Memory.Asked = waiting.MaskAsked(s.Memory.Asked, Masked)
	if c := s.Memory.Called; c != nil && c.Private {
		called := *c
		called.Text = Masked
		s.Memory.Called = &called
	}
	var p Progress
	if !s.Flow.Active() || json.Unmarshal(s.Flow.Data, &p) != nil {
		return s
	}
	p.Answers = maps.Clone(p.Answers)
	for name, a := range p.Answers {
		if a.Private {
			p.Answers[name] = Answer{Text: Masked, Choice: a.Choice, Private: true}
		}
	}
	if data, err := json.Marshal(p); err == nil {
		s.Flow.Data = data
	}
	return s
}
