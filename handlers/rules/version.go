package rules

import "strings"

// FlowPrefix begins the names of the flows that conversations of rule files are.
const FlowPrefix = flowPrefix

// Count returns how many rules and conversations there are.
func (v *Version) Count() int { return len(v.rules) }

// Gone tells whether a step of a conversation is not there any more, and whether the flow is one of rule
// files at all.
func (v *Version) Gone(flow, state string) (gone, ours bool) {
	name, ours := strings.CutPrefix(flow, flowPrefix)
	if !ours {
		return false, false
	}
	t := v.talks[name]
	return t == nil || t.steps[state] == nil, true
}

// Mermaid draws a conversation; false when there is none of that id.
func (v *Version) Mermaid(id string) (string, bool) {
	t := v.talks[id]
	if t == nil {
		return "", false
	}
	return t.flow.Mermaid(), true
}
