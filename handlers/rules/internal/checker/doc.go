// Package checker says what is wrong with rule files that can be read, and what will not do what it seems to.
//
// [CheckFolder] looks at a folder as a whole: at names that nobody defines, texts with variables that nothing fills, rules
// that no event reaches, campaigns whose slots are never filled. It decides nothing and runs nothing; each file looks at one
// thing, and the order in which they are told is that of the lines.
//
//	grammar.Read ─► checker.CheckFolder ─► engine.Compile ─► tests in the files
//	can it be read?  will it do that?      no problems: a Version
//
// A finding is a line for the person who writes the file, with what to write instead:
//
//	c.add(cond.At, "this condition is empty, and holds always: leave it out, …")    a problem: the file does not come into force
//	c.hint(l.At, "link: %s is another host than the platform's, %s: …", …)          it works, and perhaps not as it was meant
//
// Read check.go for the order of the looks: names are collected first, as a file may use what a later one defines. Then rule.go, condition.go and
// act.go; conversation.go, step.go and plan.go (where the steps lead); campaign.go, outlook.go and turns.go. reach.go finds rules that an earlier
// one shadows, echo.go rules that would set one another off by their answers.
//
// What holds:
//
//   - A problem is certain, a hint is not. A false problem would keep a folder that works out of force; what may be right is a hint at most.
//   - Of what could not be read as a whole nothing is said that might come from that: one slip of the pen is one line.
//   - The bounds of what is told and searched are fixed. An editor and a bot check with every save, and a thousand rules must not make them wait.
//   - What it says is compared with the engine by tests: what is called shadowed never answers.
//
// handlers/rules.Compile calls it, and so does all that reads rule files: the bot, nectar check, try and plan.
package checker
