// Package rules runs rule files: auto-responders that people write as text.
//
// A folder of files is compiled into a Version, which never changes. Version.Decide is a pure function
// of what happened, of the conversation, of the facts that were read for it, and of the time: it says
// what to do and why, and asks for facts it still needs. The same function serves the running bot, the
// tests in the files, the chat in the terminal, the replay of recorded events, and the question why.
//
//	Sources ── Compile ──► Version ── Decide(Input) ──► Decision
//
// Handler brings a Version into a bot; Rehearsal is a small world in memory around one.
package rules
