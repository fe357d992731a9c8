// Package session keeps one account signed in.
//
// A [Broker] is shared by everything that calls the platform for its account. It hands out the session, renews it
// before it expires, and renews it once however many callers are waiting; it signs in again when the refresh token is
// refused, and pauses instead of hammering when the credentials are. Tokens are kept through a [Keeper], so that a
// restart goes on with the session that is there.
//
//	broker := session.New(session.Config{Account: "shop", Client: client, Credentials: c, Keeper: keeper})
//	client = client.WithSession(broker)
//
// A Broker at rest is a few hundred bytes: it has no goroutine and no timer. Work is started by the caller that needs
// it, goes on when that caller gives up, and ends by its own deadline.
package session
