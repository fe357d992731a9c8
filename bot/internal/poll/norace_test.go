//go:build !race

package poll_test

const racing = false
