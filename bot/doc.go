// Package bot runs bots on platforms that can only be polled.
//
//	platform ─► poll ─► event ─► lane ─► turn (route, flow, handler) ─► commit ─► outbox ─► dispatcher ─► platform
//	              │                                                       │          ▲
//	            cursor ───────────────── store (one transaction) ─────────┴──────────┘
//
// The method runTurn of Bot, in turn.go, reads like the drawing. Who follows one message from the platform to its answer meets these files,
// in this order:
//
//	bot/internal/poll/poller.go        one poll: each list, and when the next one is
//	bot/internal/poll/inbox.go         the chat list, and the source that learns messages from it
//	bot/internal/poll/hint.go          which chats moved
//	bot/internal/poll/read.go          those chats, each from its cursor on
//	bot/internal/poll/reading.go       one of them: pages become events
//	bot/internal/poll/batch.go         events with the cursor that may pass them, handed on
//	bot/ingest.go                      drops what is known, keeps cursors behind what is not stored
//	bot/lanes.go                       the lane of its conversation
//	bot/lane.go                        one turn after another, ahead of commits; what happens when a commit fails
//	bot/turn.go                        one turn, from its beginning to its commit
//	bot/router.go                      flow, routes, middleware
//	bot/turn_api.go                    what a handler decides
//	bot/internal/outbox/reservation.go room for what is decided: what may leave at once
//	bot/internal/store/writer.go       commits of many turns in one
//	bot/internal/store/group.go        which turns of a group stand, and which are refused
//	bot/internal/store/apply_turn.go   what is stored of a turn
//	bot/internal/outbox/queue.go       the ordered queue of what is stored
//	bot/internal/outbox/carry.go       one action from the head of its queue until its end is stored: when it may leave, its request, its result
//	platform/messages.go               the call
//	bot/internal/outbox/try_result.go  what became of it
//
// Common: a Route made with On pairs a Matcher with a handler; the handler gets a Turn and collects
// actions on it (Reply, Message, Like, Repost, Follow, Publish, After, Label, Handoff). Nothing is
// sent before the turn is committed; nothing that was committed is lost or sent twice.
//
// Advanced: Middleware wraps handlers, Group names and wraps several routes, flows lead a
// conversation through states (StartFlow), facts record what was read (Fact). What the account
// does by itself has a conversation of its own: Started, Timer, Nudged and Asked begin its turns, and an
// AccountValue keeps what belongs to the whole account.
//
// Wiring: New and Bot.Run work without any framework; Module wires them with fx.
package bot
