// Package quiet knows in which conversations of an account a person of ours may have spoken.
//
// A conversation is quiet while that is not known: no turn begins in it, and nothing leaves. That is so from a start, or a long absence of the platform,
// until it was heard once, since anything may have been said meanwhile (Conversations); and from the page that shows an own message until it is known
// whose it is (Doubts). A timer of a conversation mostly judges that the other person said nothing, and waits until it was heard, too (Timers).
//
// Heard means that everything which was written before a moment, and can be read, has been delivered. Where a conversation cannot be heard for long, its
// hearing is given up: it goes on without, and says so.
package quiet
