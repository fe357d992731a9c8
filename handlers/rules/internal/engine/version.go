package engine

import "strings"

// Count returns how many rules and conversations there are.
func (v *Version) Count() int { return len(v.rules) }

// Gone reports whether a step of a conversation is not there any more, and whether the flow is one of rule
// files at all.
func (v *Version) Gone(flow, state string) (gone, ours bool) {
	name, ours := strings.CutPrefix(flow, FlowPrefix)
	if !ours {
		return false, false
	}
	t := v.Conversations[name]
	return t == nil || t.Steps[state] == nil, true
}
