// Package platform is the outside world: the nouns of the mobile API (ids, posts, messages,
// notifications, chats, profiles), its calls (Client) and its errors.
//
// It knows nothing of bots. It is the only package that speaks HTTP to the platform.
//
// New makes a Client, which signs in with Login or OAuth; Client.WithSession binds one to the sessions of an account, which
// package session keeps. Lists come page by page (Notifications, Feed, Followers …), or to their end with All:
//
//	client = client.WithSession(broker)
//	for post, err := range platform.All(ctx, client.Feed, platform.PageParams{}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(post.Owner.Username, post.Text)
//	}
//
// Each noun has a file with its type, its calls and its parameters. A call goes through call.go (the session), send.go (the
// request) and receive.go (the answer); how the JSON of an answer is read stands in internal/wire, and how secrets are
// kept out of errors in internal/scrub.
//
// Deployments disagree about nearly everything that the contract leaves open, so answers are read
// with tolerance: what is odd in one row does not hide the others, and what is missing is zero. The
// outcome of a call is decided by the code in the answer, not by the HTTP status. An error says
// how far the call came: Unreachable (no answer), Unreadable (not an answer of the platform), Refused
// (a clear no), SessionError (nothing was sent). InDoubt reports whether it may have been handled all
// the same; like, repost, bookmark, follow and block undo themselves when repeated, and messages and
// posts come twice.
package platform
