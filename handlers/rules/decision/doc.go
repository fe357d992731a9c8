// Package decision has what goes into a decision of rule files, and what comes out of it.
//
// An [Input] is everything that a decision depends on: the trigger, the [State] of the conversation, the [Facts] that were
// read for it, and the time. A [Decision] is what is to be done and why, in a word its [Outcome], and how the conversation
// stands afterwards. While it has Needs, the facts that these name are to be read first, and it is decided again:
//
//	d, err := v.Decide(decision.Input{Trigger: trigger, State: state, Facts: facts, Now: now})
//	for err == nil && len(d.Needs) > 0 {
//		read(d.Needs, facts)
//		d, err = v.Decide(decision.Input{Trigger: trigger, State: state, Facts: facts, Now: now})
//	}
//
// It is data: what decides is handlers/rules.
package decision
