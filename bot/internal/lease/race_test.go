//go:build race

package lease_test

const racing = true
