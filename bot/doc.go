// Package bot runs bots on platforms that can only be polled.
//
//	platform ─► poll ─► event ─► lane ─► turn (route, flow, handler) ─► commit ─► outbox ─► dispatcher ─► platform
//	              │                                                       │          ▲
//	            cursor ───────────────── store (one transaction) ─────────┴──────────┘
//
// The way of one event is the method turn of Bot, in turn.go: it reads like the drawing.
//
// Common: a Route made with On pairs a Matcher with a handler; the handler gets a Turn and collects
// actions on it (Reply, Message, Like, Repost, Follow, Publish, After, Label, Handoff). Nothing is
// sent before the turn is committed; nothing that was committed is lost or sent twice.
//
// Advanced: Middleware wraps handlers, Group names and wraps several routes, flows lead a
// conversation through states (StartFlow), facts record what was read (Turn.Fact, Turn.Once). What the account
// does by itself has a conversation of its own: Started, Timer, Nudged and Asked begin its turns, and an
// AccountValue keeps what belongs to the whole account.
//
// Wiring: New and Bot.Run work without any framework; Module wires them with fx.
package bot
