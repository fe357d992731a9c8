package conversation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// DefinitionError lists what is wrong with the definition of a flow.
type DefinitionError struct {
	Flow     string
	Problems []string // a sentence each
}

// Error returns one line for each problem.
func (e *DefinitionError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = fmt.Sprintf("flow %q: %s", e.Flow, p)
	}
	return strings.Join(lines, "\n")
}

// SignalError is a signal that the state, or the whole flow, has no transition for: a mistake in the program.
type SignalError struct {
	Flow   string
	State  string // "" when the whole flow does not have it
	Signal Signal
	Known  []string // the signals of the flow
}

// Error implements error.
func (e *SignalError) Error() string {
	where := fmt.Sprintf("flow %q", e.Flow)
	if e.State != "" {
		where += fmt.Sprintf(", state %q", e.State)
	}
	return fmt.Sprintf("%s: no transition on %q%s", where, e.Signal, meant(string(e.Signal), e.Known))
}

// checker collects the problems of a definition.
type checker[T, D any] struct {
	def      *Definition[T, D]
	states   map[string]*FlowState[T, D]
	names    []string
	problems []string
}

// check returns everything that is wrong with a definition.
func check[T, D any](flow string, def *Definition[T, D]) []string {
	c := &checker[T, D]{def: def, states: map[string]*FlowState[T, D]{}}
	if !validName(flow) {
		c.addf("the name must be letters, digits, \"-\", \"_\" or \".\"")
	}
	c.checkStates()
	c.checkTransitions()
	c.checkVersions()
	if len(c.problems) == 0 {
		c.checkTimeouts()
		c.checkPaths()
	}
	return c.problems
}

func (c *checker[T, D]) addf(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker[T, D]) checkStates() {
	for i := range c.def.States {
		s := &c.def.States[i]
		switch {
		case !validName(s.Name):
			c.addf("state %q: a name must be letters, digits, \"-\", \"_\" or \".\"", s.Name)
		case c.states[s.Name] != nil:
			c.addf("state %q is defined twice", s.Name)
		}
		switch {
		case s.Timeout < 0:
			c.addf("state %q: the timeout %v is negative", s.Name, s.Timeout)
		case s.Timeout == 0 && s.OnTimeout != "":
			c.addf("state %q has an OnTimeout and no Timeout", s.Name)
		}
		if s.Final && (s.Handle != nil || s.Timeout != 0 || len(s.Reminders) > 0) {
			c.addf("state %q is final, so it handles nothing, reminds of nothing and has no timeout", s.Name)
		}
		c.states[s.Name] = s
		c.names = append(c.names, s.Name)
	}
	if len(c.def.States) == 0 {
		c.addf("it has no states")
		return
	}
	if s := c.states[c.def.Start]; s == nil {
		c.unknown("the start", c.def.Start)
	} else if s.Final {
		c.addf("it starts in the final state %q", s.Name)
	}
}

func (c *checker[T, D]) checkTransitions() {
	seen := map[move]bool{}
	for _, tr := range c.def.Transitions {
		what := fmt.Sprintf("the transition from %q on %q", tr.From, tr.On)
		if !validName(string(tr.On)) {
			c.addf("%s: a signal must be letters, digits, \"-\", \"_\" or \".\"", what)
		}
		if from := c.states[tr.From]; tr.From != Anywhere && from == nil {
			c.unknown(what, tr.From)
		} else if from != nil && from.Final {
			c.addf("%s leaves a final state", what)
		}
		if c.states[tr.To] == nil {
			c.unknown(what+" to", tr.To)
		}
		if seen[move{tr.From, tr.On}] {
			c.addf("%s is defined twice", what)
		}
		seen[move{tr.From, tr.On}] = true
	}
}

func (c *checker[T, D]) checkVersions() {
	switch {
	case c.def.Version < 0:
		c.addf("the version %d is negative", c.def.Version)
	case c.def.Version > 1 && c.def.Migrate == nil:
		c.addf("version %d needs a Migrate for the data of earlier versions", c.def.Version)
	}
	for _, from := range slices.Sorted(maps.Keys(c.def.Renamed)) {
		if c.states[from] != nil {
			c.addf("renamed state %q is still defined", from)
		}
		if to := c.def.Renamed[from]; c.states[to] == nil {
			c.unknown(fmt.Sprintf("renamed state %q", from), to)
		}
	}
}

func (c *checker[T, D]) checkTimeouts() {
	heard := map[move]bool{}
	for _, tr := range c.def.expand() {
		heard[move{tr.From, tr.On}] = true
	}
	for i := range c.def.States {
		s := &c.def.States[i]
		if signal := s.timeoutSignal(); signal != "" && !heard[move{s.Name, signal}] {
			c.addf("state %q times out with %q and has no transition on it", s.Name, signal)
		}
		c.checkReminders(s)
	}
}

func (c *checker[T, D]) checkReminders(s *FlowState[T, D]) {
	var last time.Duration
	for i, r := range s.Reminders {
		switch {
		case r.Say == nil:
			c.addf("state %q: reminder %d has nothing to Say", s.Name, i+1)
		case r.After <= last:
			c.addf("state %q: reminder %d comes after %v, and must come after more than %v", s.Name, i+1, r.After, last)
		case s.Timeout > 0 && r.After >= s.Timeout:
			c.addf("state %q: reminder %d comes after %v, when the timeout of %v is over", s.Name, i+1, r.After, s.Timeout)
		}
		last = r.After
	}
}

// checkPaths finds the states that nothing leads to, and those that never let go.
func (c *checker[T, D]) checkPaths() {
	ahead, back := map[string][]string{}, map[string][]string{}
	for _, tr := range c.def.expand() {
		ahead[tr.From] = append(ahead[tr.From], tr.To)
		back[tr.To] = append(back[tr.To], tr.From)
	}
	var final []string
	for _, s := range c.def.States {
		if s.Final {
			final = append(final, s.Name)
		}
	}
	if len(final) == 0 {
		c.addf("no state is final, so a conversation would never leave the flow")
		return
	}
	reached, leaves := spread(ahead, c.def.Start), spread(back, final...)
	for _, name := range c.names {
		switch {
		case !reached[name]:
			c.addf("state %q cannot be reached from %q", name, c.def.Start)
		case !leaves[name]:
			c.addf("state %q has no way to a final state", name)
		}
	}
}

// spread returns all that can be reached.
func spread(edges map[string][]string, from ...string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		name := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[name] {
			seen[name] = true
			from = append(from, edges[name]...)
		}
	}
	return seen
}

func (c *checker[T, D]) unknown(what, state string) {
	c.addf("%s: there is no state %q%s", what, state, meant(state, c.names))
}

// validName reports whether a name can be kept, shown and drawn.
func validName(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r) {
			return false
		}
	}
	return s != ""
}

// meant returns a hint to the known name nearest to a misspelt one, "" when none is near.
func meant(s string, known []string) string {
	letters := len([]rune(s))
	best, least := "", min(1+letters/3, letters-1)
	for _, k := range known {
		if d := distance([]rune(strings.ToLower(s)), []rune(strings.ToLower(k))); d <= least && k != s {
			best, least = k, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts the letters to insert, drop or replace to make b of a.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
