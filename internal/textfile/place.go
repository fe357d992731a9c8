package textfile

import "path/filepath"

// SamePlace reports whether two paths name one place, as far as that is known without looking there.
func SamePlace(a, b string) bool {
	a, errA := filepath.Abs(a)
	b, errB := filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}
