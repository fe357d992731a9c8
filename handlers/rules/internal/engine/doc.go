// Package engine compiles rule files, and decides by them.
//
// [Compile] makes a [Version] of a folder that was checked (compile*.go): rules by the kinds of events that they wait for,
// their text conditions in one index. [Version.Decide] is pure (decide*.go): a decider tries the rules, asks for facts in
// Needs, and collects what to do. conditions.go reports whether a rule holds, act_do.go does what it says, step.go leads
// conversations, limits.go counts.
//
//	Decide ─► happened ─► hear: the index, once ─► rules ─► try: conditions, heldBack ─► fire ─► perform ─► act
//	   │        └► stops, gather, inTalk go before them            │
//	   └─► due: a timer                                        needs something: done returns Needs alone, and all begins again
//
// Read decide.go for that way. Then a file for each thing that may happen to it: a burst (decide_burst.go, decide_parts.go), a
// stop word (decide_stop.go), a person who has the conversation (decide_owned.go), something that was held back (decide_held.go), a conversation
// with steps (decide_talk.go, step.go), a timer (decide_timer.go, decide_silence.go). decide_outcome.go says in a word what came of it.
//
// What holds:
//
//   - The same input has the same decision. Draws come from a hash, the time from the input. So a stored turn can be decided again years later, and
//     the plan, the tests, nectar try and the bot agree.
//   - With Needs nothing else is returned. What was decided without a fact may be wrong with it, so all is decided anew from the beginning.
//   - A rule on watch uses nothing up and changes nothing: otherwise who looks how a rule would do has changed how others do.
//   - One text condition more costs no more time: the index finds those that hold in one reading, however many there are. To ask each rule would
//     be simpler, and slower with each rule.
//   - A Version never changes. Turns that are under way when others come into force end by the one that they began with.
//
// handlers/rules is its front, for a bot; handlers/rules/check, rehearse and replay call it for tests, for a chat, and for what was recorded.
// Names that are stored with turns, and that a recording is read by, stand in keys.go: they stay.
package engine
