//go:build race

package effort

// Racing says that the race detector watches.
const Racing = true
