// Package notify (nothing is promised of it) brings notices to people of ours: over ntfy, Slack, Discord, Telegram, mail and webhooks.
//
// An address says how somebody is called: ntfy://ntfy.sh/topic, mailto:team@example.org. What is secret of it comes from
// the environment, ${NAME}, and never stands in what a function of this package returns: neither in an address as it is
// shown, nor in an error.
//
// Nothing is sent to a host that is not allowed, no redirect is followed, every call has a deadline, and of an answer at
// most 64 KB are read. What strangers wrote stands in a notice as their words: it rings nobody else, formats nothing and
// hides no link.
package notify
