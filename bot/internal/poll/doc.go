// Package poll asks the platform what happened since the cursors and hands it over as events, oldest
// first. The platform has no push, so nothing that a list still shows may be overlooked here.
//
// A Poller serves one account. It is a passive state machine without a goroutine of its own; a
// Schedule calls Poll for any number of them. What it reads goes to a Sink, together with the Cursor
// that may be stored once the events are.
//
//	get_chats ──► rows ──► hints ──► get_messages ──► Batch ──► Sink
//	                                   ▲
//	                        sweep ─────┘   chats that were active, without a hint
//	get_notifications ──► notifs, mentions ─────────► Batch ──► Sink
//
// # Chats
//
// The chat list tells neither the last message's id nor its sender, so it is used for hints only:
// what happened in a chat is always read from get_messages, above the chat's cursor. Rows are
// compared by a digest that leaves out their humanised time, while they arrive; an unchanged row costs a comparison, and
// 32 bytes until the poll is over. A hint too many costs a call, a hint too few would cost a message: whatever cannot be
// explained is read, and chats that were active are read again for ten minutes although nothing
// shows movement (the sweep).
//
// Which page get_messages returns when more than a page is new is not documented, nor is the largest
// page. Both are learned: see server. Until then, and where the newest page comes first, messages are
// read from the newest one back until one that is known, which every platform can do.
//
// A message that the platform shows later than one with a higher id is found by the sweep. What the sweep
// had not passed when an incarnation ended, the next one reads once more, down to sixteen rows below the cursor, and
// leaves it to the Sink to drop what is stored. The same goes for notifications.
//
// Three things escape. The same words said again to a chat that was quiet for ten minutes, seen by the
// owner's phone before the next poll, on top of the list already and in a language whose times are not
// read, look like what was there before. What is shown late after more than thirty-two later rows of the
// same list, or sixteen around a restart, counts as read. And of the account's own messages none comes again
// at a start, so that one of a person which was shown late then takes no conversation over.
//
// Hints are read the newest first, and every fourth time the one that has waited longest, so that no flood keeps any of them
// waiting for ever. What the platform refuses to show is tried again more and more rarely, and is forgotten once two whole
// lists in a row do not show it.
//
// The list has no pages, and may be cut: by a limit, the deadline or a fault. The rows that arrived count. Of the others
// nothing is known; see behind.
//
// # Notifications
//
// The two lists are read from their first page back to the cursor, however many pages that takes. A
// burst larger than one cycle's budget goes on in the next cycle where it stopped. Ids are compared,
// never looked for: the row at the cursor may have vanished.
package poll
