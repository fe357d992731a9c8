//go:build !race

package bot_test

const racing = false
