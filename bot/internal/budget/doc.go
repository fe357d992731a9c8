// Package budget is about how many requests the hosts of the platform get. A [Host] lets so many a second leave as are this process's
// share of what the host may get: what acts goes first, and polls take what is left. Without a limit it lets everything leave, and
// costs next to nothing.
package budget
