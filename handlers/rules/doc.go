// Package rules runs rule files: auto-responders that people write as text.
//
// A folder of files is read into [Sources], and compiled into a [Version], which never changes. Version.Decide is a pure
// function of what happened, of the conversation, of the facts that were read for it, and of the time: it says what to do
// and why, and asks for facts it still needs. The same function serves the running bot, the tests in the files, the chat in
// the terminal, the replay of recorded events, and the question why.
//
//	Sources ── Compile ──► Version ── Decide(Input) ──► Decision
//
// A [Handler] brings a Version into a bot, and other ones while it runs:
//
//	src, err := rules.ReadSources("rules")
//	if err != nil {
//		return err
//	}
//	v, report := check.Check(src) // rules.Compile leaves out the tests in the files
//	if v == nil {
//		return report.Problems
//	}
//	h := rules.NewHandler()
//	h.Use(v)
//	fx.New(config.Module, bot.Module, bot.Routes(h.Routes()...)).Run()
//
// The rooms below, from the bottom up: decision has what goes into a decision and comes out of it; internal/grammar reads
// the files, internal/checker says what is wrong with them, internal/engine compiles them and decides. Upon this package
// stand those for tools: rehearse, check and replay.
package rules
