// Package hook lets packages of this tree at what a public type does not show to everybody: who imports this package can ask for
// it, and nobody else can import it. The type embeds a Door under a name that is not exported.
package hook

// Door is what a type embeds.
type Door[T any] struct{ behind T }

// open gives what stands behind the door away, and takes it.
func (d *Door[T]) open() *T { return &d.behind }

// Opens is whatever embeds a Door.
type Opens[T any] interface{ open() *T }

// Of returns what stands behind a door.
func Of[T any](x Opens[T]) T { return *x.open() }

// Put puts something behind a door.
func Put[T any](x Opens[T], what T) { *x.open() = what }
