// Package text (nothing is promised of it) turns the text files that people write – rules, settings, saved replies, campaigns –
// into values, and says in one voice what is wrong with them.
//
// [Parse] reads a file, [File.Decode] puts it into a struct, and both return every [Problem] they
// find, each with its line and its cure. A [Report] prints them. The files are YAML without its
// surprises: a strict part of the language, in which what people read is what was written.
//
//   - file.go, node.go: a file and its parts
//   - reader.go, block.go, flow.go, value.go, quoted.go, blocktext.go: the grammar
//   - trap.go, text.go: lines that mean something else than they seem to
//   - decode.go, fields.go, list.go, ordered.go: from parts to structs
//   - problem.go, phrase.go, report.go, nearest.go, foreign.go: what the checker says
//   - the rest: values as people write them, one file each
package text
