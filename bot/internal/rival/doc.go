// Package rival finds out whether another bot, with a memory of its own, answers on an account, and lets one of the two stop.
//
// The platform gives no lock. Two bots show by what they say: both answer the same events, with the same words, within seconds. The one whose answer came
// second stops: it goes on deciding, what it decides is stored as due, and nothing leaves. The other one sees the same, and goes on.
//
//	an own message that nobody knows ──► evidence: it and one of ours answer the same event ──► standing: the account stops, warns, or goes on
//
// Watch, in watch.go, is the door: a bot tells it of polls, of what leaves and of own messages that it has not sent. Read standing.go next, which says when an
// account stops and when it goes on, then evidence.go, which says what two answers prove.
package rival
