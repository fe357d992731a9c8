// Package check (nothing is promised of it) finds what is wrong with rule files, and runs the tests in them.
//
//	v, report := check.Check(src)
//	if v == nil {
//		_, err := report.WriteTo(os.Stderr)
//		return err
//	}
//
// Each test is a rehearsal of its own (handlers/rules/rehearse), on a Tuesday at 10:00 unless it says otherwise.
package check
