//go:build race

package store_test

// racing: the race detector makes everything take ten times as long, so there is less of what repeats.
const racing = true
