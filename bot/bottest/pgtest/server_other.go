//go:build !unix

package pgtest

// Stop ends nothing: on this system there is no server.
func Stop() {}
