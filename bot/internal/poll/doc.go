// Package poll asks the platform what happened since the cursors and hands it over as events, oldest
// first. The platform has no push, so nothing that a list still shows may be overlooked here.
//
// A Poller serves one account. It is a passive state machine without a goroutine of its own; a
// Schedule calls Poll for any number of them. What it reads goes to a Sink, together with the Cursor
// that may be stored once the events are.
//
//	get_chats ──► rows ──► messageSource ──────────────────────► Batch (events, cursor) ──► Sink
//	               chatReader: hints, sweeps ──► get_messages
//	               snapshots:  the rows themselves
//	get_notifications ──► notifs, mentions ─────────────────────► Batch (events, cursor) ──► Sink
//
// # A cycle
//
// Poll asks one list after another; one that fails stops no other. The chat list is the longest: it arrives row by row, and of each
// row a looker keeps a glance, and a brief of those that may be news (listing.go). The rows are brought into the order of the list and
// compared with those of the list before; each that differs gives a hint (hint.go). What follows from a hint is the matter of
// the messageSource: it makes batches, and moves a cursor when the Sink has accepted its batch. At the end the account's own cursor
// is delivered, now and then, for its time: until then everybody was heard (inbox.go).
//
// There are two sources of messages, and inbox.go chooses between them:
//
//   - chatReader. The list tells neither the last message's id nor its sender, so its rows are hints only: what happened in a chat is
//     read from get_messages, above the chat's cursor. A hint too many costs a call, a hint too few would cost a message: whatever cannot be
//     explained is read, and chats that were active are read again for ten minutes although nothing shows movement (the sweep).
//   - snapshots. Where get_messages does not exist, a row is all there is. An event is made of one that shows something new,
//     unless that is ours. Its number depends on how many events were made of the chat, so the chat's cursor is stored in one
//     commit with the event.
//
// An account that has never read a message goes over to snapshots when get_messages answers often enough that it does not exist.
// From then on it stays with them: the next incarnation finds their cursor. Only event.Never leads back.
//
// # Hard places
//
// Cursors say that everything below was delivered, so one that stands too high loses messages in silence. Ids grow over the
// whole platform, and one number, the watermark, stands for all chats that have no cursor of their own. An id far above all
// others moves neither of them before later ones stand beside it; one that was moved all the same is set back (leap, odd.go, reset.go).
//
// A message that the platform shows later than one with a higher id is found by the sweep: above its low-water mark a tail knows single
// ids. What the sweep had not passed when an incarnation ended, the next one reads once more, down to sixteen rows below the cursor:
// that is the overlap. It leaves it to the Sink to drop what is stored. The same goes for notifications.
//
// A row may be older than the messages of its chat, which are read after it. What came in between is delivered at once; the
// next list shows that the row has moved, and reading it again finds nothing. A list may also come from a replica that lags, and go back to
// what was there before: then nothing follows from what it does not show. Snapshots, which have nothing but rows, tell by ages,
// as far as these can be read, whether a row shows something new or something old again.
//
// Which page get_messages returns when more than a page is new is not documented, nor is the largest
// page. Both are learned: see server. Until then, and where the newest page comes first, messages are
// read from the newest one back until one that is known, which every platform can do.
//
// The list has no pages, and may be cut: by a limit, the deadline or a fault. The rows that arrived count. Of the others
// nothing is known; see behind.
//
// Hints are read the newest first, and every fourth time the one that has waited longest, so that no flood keeps any of them
// waiting for ever. What the platform refuses to show is tried again more and more rarely, and is forgotten once two whole
// lists in a row do not show it.
//
// The two lists of notifications are read from their first page back to the cursor, however many pages that takes. A
// burst larger than one cycle's budget goes on in the next cycle where it stopped. Ids are compared,
// never looked for: the row at the cursor may have vanished. What is read is held until then, in lists as in chats; where there is no room for
// it, it is read once more, upward, and handed over page by page (descent.go).
//
// # What escapes
//
// The same words said again to a chat that was quiet for ten minutes, seen by the
// owner's phone before the next poll, on top of the list already and in a language whose times are not
// read, look like what was there before. What is shown late after more than thirty-two later rows of the
// same list, or sixteen around a restart, counts as read. And of the account's own messages none comes again
// at a start, so that one of a person which was shown late then takes no conversation over. What escapes snapshots, docs/reliability.md
// tells.
package poll
