package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
)

// noteLanguage remembers in which language the person writes, so that "ok" and "14:00" belong to the language before them.
func (d *decider) noteLanguage() {
	if !d.v.asksForLanguage || !d.when.SaysSomething() {
		return
	}
	if code, ok := d.reading.WrittenIn(); ok && code != d.state.Memory.Writes {
		d.state.Memory.Writes, d.changed = code, true
	}
}

// writesHold reports whether the person writes in a language that a condition asks for. Who has written nothing that tells writes as the file does.
func (d *decider) writesHold(s *grammar.SenderCondition) (bool, string) {
	if len(s.Writes) == 0 {
		return true, ""
	}
	writes := cmp.Or(d.state.Memory.Writes, string(d.scopeOf().Language), string(language.English))
	if !slices.ContainsFunc(s.Writes, func(code string) bool { return strings.EqualFold(code, writes) }) {
		return false, fmt.Sprintf("writes: it is %s", writes)
	}
	return true, "writes: " + writes
}
