// Package bottest tests bots the way people meet them: somebody says something, expects an answer,
// lets time pass. What runs is the bot itself with its SQLite store, against the platform in memory
// behind real HTTP. Nothing is replaced by a stand-in, and nothing waits in real time: the test lives
// in a bubble of testing/synctest, where hours pass in an instant.
//
//	func TestHello(t *testing.T) {
//		bottest.Run(t, bottest.Config{Routes: routes}, func(w *bottest.World) {
//			ana := w.Person("ana")
//			ana.Says("hi")
//			ana.Expects("hello, ana")
//			w.Advance(3 * time.Hour)
//			w.Crash()
//			ana.Says("still there?")
//			ana.Expects("always")
//		})
//	}
//
// A World has people (Person), time (Advance), faults (Faults, Disturb) and the incarnation of the bot
// (Restart, Crash, Stop, Start, Deploy). An expectation that is not met ends the test, and shows the
// conversation so far and what the bot decided.
//
// When the test ends, the bot is stopped: it must drain. All goroutines that it started, and those of
// handlers, must end; testing/synctest reports those that do not.
package bottest
