// Package bind is how what the runtime knows becomes a parameter of a statement, and comes back: times, lists, numbers, texts. Both
// engines take these.
package bind
