// Package emulator is the whole platform in memory, behind net/http: people, follows, posts,
// likes, chats, notifications and sessions, as the mobile API shows them.
//
// A Platform is an http.Handler with the endpoints under /mobile_api. Serve puts it on a loopback
// port, NewPipe behind an in-memory transport that also works inside a testing/synctest bubble.
// People act through its methods (Say, Like, Follow and so on), a bot's account through the API, and
// each effect is one Entry of the Ledger, in the order in which it took place.
//
// A Dialect switches single answers to another shape that deployments are known to use. Faults
// disturb calls the way networks and servers do, repeatably for a seed.
//
// Its rooms are for those who deal with a bot on it: package crowd makes people up, package script plays
// scenes, package transcript tells what happened, and package judge what a bot did wrong.
//
// The package knows nothing of bots. It uses the clock of package time only, and starts a goroutine
// in Serve and NewPipe only.
package emulator
