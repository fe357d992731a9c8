// Package move carries accounts between databases, whatever engines these have: all that is kept of an account, in the order of its
// rows, compared before it counts, and called off or gone on with after a crash.
package move
