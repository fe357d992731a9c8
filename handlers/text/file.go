package text

import "github.com/nectar-bot/nectar/internal/textfile"

// What files and their problems are called where programs meet them: they may not import internal/textfile.
type (
	// Problem is a finding of the checker.
	Problem = textfile.Problem
	// Problems are findings. As an error their text has one finding on each line.
	Problems = textfile.Problems
	// Report is what a check prints.
	Report = textfile.Report
	// Node is a part of a parsed file.
	Node = textfile.Node
	// At says where something stands.
	At = textfile.At
)
