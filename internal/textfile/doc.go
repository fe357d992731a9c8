// Package textfile reads the text files that people write – rules, settings, saved replies, campaigns, accounts – into structs, and says in one voice
// what is wrong with them.
//
// [Parse] reads a file, [Node.Decode] puts it into a struct, and both return every [Problem] they find, each with its line and its cure. A [Report]
// prints them. The files are YAML without its surprises: a strict part of the language, in which what people read is what was written. The values in
// them, durations and hours, are of handlers/text.
//
//   - file.go, node.go: a file and its parts
//   - reader.go, block.go, flow.go, value.go, quoted.go, blocktext.go: the grammar
//   - trap.go, text.go, space.go: lines that mean something else than they seem to
//   - decode.go, fields.go, list.go, ordered.go, oneof.go: from parts to structs
//   - problem.go, phrase.go, report.go, nearest.go, foreign.go: what the checker says
package textfile
