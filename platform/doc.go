// Package platform is the outside world: the nouns of the mobile API (ids, posts, messages,
// notifications, chats, profiles), its calls (Client) and its errors.
//
// It knows nothing of bots. It is the only package that speaks HTTP to the platform.
//
// New makes a Client, which signs in with Login or OAuth; Client.WithSession binds one to the sessions
// of an account. Lists come page by page (Notifications, Feed, Followers …) or to their end
// (AllNotifications, AllFeed, AllFollowers …).
//
// Deployments disagree about nearly everything that the contract leaves open, so answers are read
// with tolerance: what is odd in one row does not hide the others, and what is missing is zero. The
// outcome of a call is decided by the code in the answer, whatever the HTTP status is. An error says
// how far the call came: Unreachable (no answer), Unreadable (not an answer of the platform), Refused
// (a clear no), SessionError (nothing was sent). Unsure tells whether it may have been handled all
// the same; like, repost, bookmark, follow and block undo themselves when repeated, and messages and
// posts come twice.
package platform
