//go:build !race

package simulate_test

// racing says that the race detector watches.
const racing = false
