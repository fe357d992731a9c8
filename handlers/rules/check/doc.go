// Package check finds what is wrong with rule files, and runs the tests in them. It is for tools, and may change.
//
//	v, report := check.Check(src)
//	if v == nil {
//		_, err := report.WriteTo(os.Stderr)
//		return err
//	}
//
// Each test is a rehearsal of its own (handlers/rules/rehearse), on a Tuesday at 10:00 unless it says otherwise.
package check
