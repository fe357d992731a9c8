//go:build !unix

package sqlite

// Free does not know.
func Free(string) (uint64, bool) { return 0, false }
