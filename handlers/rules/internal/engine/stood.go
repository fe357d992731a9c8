package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/waiting"
)

// ReadState reads a state that was kept with a turn, in JSON. Earlier versions kept a silence in the memory.
func ReadState(kept []byte, s *decision.State) error {
	var before struct {
		Memory struct {
			Stopped   bool      `json:"stopped"`
			StoppedAt time.Time `json:"stopped_at"`
		} `json:"memory"`
	}
	if err := errors.Join(json.Unmarshal(kept, s), json.Unmarshal(kept, &before)); err != nil {
		return err
	}
	if m := &before.Memory; m.Stopped {
		s.Silence = conversation.Silence{Since: cmp.Or(m.StoppedAt, s.TakenBack, time.UnixMicro(1)), Untold: m.StoppedAt.IsZero()}
	}
	return nil
}

// TakeEffect takes over what an approval changes of a conversation.
func TakeEffect(s *decision.State, e *event.Effects, now time.Time) {
	*s = cloneOf(s)
	for _, l := range e.Labels {
		PutOn(s, l)
	}
	for _, l := range e.Unlabels {
		takeOff(s, l)
	}
	if e.Leaves != "" && strings.HasPrefix(s.Flow.Flow, e.Leaves) {
		s.Flow.Flow, s.Flow.State, s.Flow.Data = "", "", nil
	}
	// A person who has taken the conversation meanwhile keeps it.
	if h := e.Handoff; h != nil && s.Owner == "" {
		s.Owner, s.OwnerFor = h.To, h.For
	}
	for _, stamp := range e.Stamps {
		switch p := stamp.Path; {
		case len(p) == 1 && p[0] == stampAnswered:
			s.Memory.Answered = now
		case len(p) == 1 && p[0] == stampIntroduced:
			s.Memory.Introduced = now
		case len(p) == 2 && p[0] == stampWaiting:
			if s.Memory.Waiting == nil {
				s.Memory.Waiting = map[string]time.Time{}
			}
			s.Memory.Waiting[p[1]] = now
		}
	}
}

// TimersAt returns the timers that an approval sets. Those that it cancels are zero.
func TimersAt(e *event.Effects, key event.Key, now time.Time) []event.Timer {
	var all []event.Timer
	for _, t := range e.Timers {
		timer := event.Timer{Key: key, Name: t.Name, Data: t.Data}
		if t.After > 0 {
			timer.Due = now.Add(t.After)
		}
		var w waiting.Asked
		if t.Stamp == stampSince && json.Unmarshal(t.Data, &w) == nil {
			w.Since = now
			timer.Data = EncodeFact(w)
		}
		all = append(all, timer)
	}
	return all
}

// peerIn returns whom a conversation is with.
func peerIn(s *decision.State) event.Peer { return event.Peer{ID: s.Peer, Name: s.Name, User: s.User} }

// mostHeld is how many prepared answers a conversation remembers.
const mostHeld = 32

// cloneOf returns a copy that shares nothing that a decision changes.
func cloneOf(s *decision.State) decision.State {
	c := *s
	c.Labels = slices.Clone(s.Labels)
	c.Memory.Used = maps.Clone(s.Memory.Used)
	c.Memory.Waiting = maps.Clone(s.Memory.Waiting)
	c.Memory.Due = maps.Clone(s.Memory.Due)
	c.Memory.Held = slices.Clone(s.Memory.Held)
	c.Memory.Asked, c.Memory.Told = waiting.Clone(s.Memory.Asked), slices.Clone(s.Memory.Told)
	if b := s.Memory.Burst; b != nil {
		burst := *b
		burst.Events, burst.Texts = slices.Clone(b.Events), slices.Clone(b.Texts)
		c.Memory.Burst = &burst
	}
	return c
}

// KeptState returns the state as it may be kept with a turn. When the turn masks texts, or answers a private
// step, the texts of the burst are masked in it, too.
func (v *Version) KeptState(s decision.State, masks []event.ID) decision.State {
	_, step := v.StepOf(&s)
	s = s.Masked()
	if b := s.Memory.Burst; b != nil && (len(masks) > 0 || step != nil && step.Private) {
		burst := *b
		burst.Texts = make([]string, len(b.Texts))
		for i := range burst.Texts {
			burst.Texts[i] = decision.Masked
		}
		s.Memory.Burst = &burst
	}
	return s
}

// IsMasked reports whether nothing is left of what was said.
func IsMasked(said string) bool {
	return said != "" && strings.Trim(strings.ReplaceAll(said, decision.Masked, ""), "\n") == ""
}

// StepOf returns the step that a conversation stands in, nil when these rules have none.
func (v *Version) StepOf(s *decision.State) (*ledConversation, *Step) {
	name, ok := strings.CutPrefix(s.Flow.Flow, FlowPrefix)
	t := v.Conversations[name]
	if !ok || t == nil || t.Steps[s.Flow.State] == nil {
		return nil, nil
	}
	return t, t.Steps[s.Flow.State]
}

// PutOn puts a label on; it reports whether it was new.
func PutOn(s *decision.State, label string) bool {
	i, ok := slices.BinarySearch(s.Labels, label)
	if !ok {
		s.Labels = slices.Insert(s.Labels, i, label)
	}
	return !ok
}

// takeOff takes a label off; it reports whether it was there.
func takeOff(s *decision.State, label string) bool {
	i, ok := slices.BinarySearch(s.Labels, label)
	if ok {
		s.Labels = slices.Delete(s.Labels, i, i+1)
	}
	return ok
}
