//go:build !unix

package cmd

// haveDisk does nothing: the disk of this system cannot be made full for one process alone.
func haveDisk() {}
