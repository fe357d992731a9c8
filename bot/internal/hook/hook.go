// Package hook gives packages of this tree what a public type hides from everybody else: it is for code that can import this package, and
// nobody else can. The type embeds a Door under a name that is not exported.
//
//	type Route struct {
//		…
//		routeWays // = hook.Door[hook.Ways]
//	}
//
//	hook.Put(&r, hook.Ways(w)) // bot/engine gives a route ways that bot.Route has no words for
//	hook.Of(&r)                // and bot reads them
//
// The method open is not exported, so only what embeds a Door has it. Without this, what an engine of rules needs of a turn would be methods of
// bot.Turn, where every handler would see them.
//
// Three types have a door: bot.Route and bot.Turn, for bot/engine, and bot.Bot, from which simulations take the holder of shards. ways.go is what
// both sides of bot.Route have to agree on; what stands behind the others is said where they are made. A copy of a value has a copy of what
// stands behind its door.
package hook

// Door is what a type embeds.
type Door[T any] struct{ behind T }

// open gives what stands behind the door away, and takes it.
func (d *Door[T]) open() *T { return &d.behind }

// Opens is a type that embeds a Door.
type Opens[T any] interface{ open() *T }

// GetBehind returns what stands behind a door.
func GetBehind[T any](x Opens[T]) T { return *x.open() }

// Put puts something behind a door.
func Put[T any](x Opens[T], what T) { *x.open() = what }
