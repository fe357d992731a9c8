//go:build race

package effort

// racing says that the race detector watches.
const racing = true
