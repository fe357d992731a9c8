// Package audit reads the platform back and compares it with what a bot has stored: which events it
// handled, which wait, and which it does not know although it should; and which of its messages the
// platform does not show. For tools: it may change.
//
// It is no part of a running bot. It sends nothing; reading messages may mark them as seen, which the
// running bot notices.
package audit
