//go:build !race

package outbox_test

const racing = false
