//go:build !unix || aix

package lean

// looks says that an idle connection can be looked at on this system.
const looks = false

func isQuiet(uintptr) bool { return true }
