// Package engine compiles rule files, and decides by them.
//
// [Compile] makes a [Version] of a folder that was checked (compile*.go): rules by the kinds of events that they wait for,
// their text conditions in one index. [Version.Decide] is pure (decide*.go): a decider tries the rules, asks for facts in
// Needs, and collects what to do. conditions.go reports whether a rule holds, act_do.go does what it says, step.go leads
// conversations, limits.go counts.
//
// Names that are stored with turns, and that a recording is read by, stand in keys.go.
package engine
