package platform

import (
	"errors"
	"net/http"
	"time"
)

// Class is what a failed call says about its subject: a post, a chat, a person, an action. All code that decides by a
// failure asks Classify, so that all decide alike.
type Class uint8

const (
	// Other is no failure, or one that the platform has nothing to do with.
	Other Class = iota
	// NotNow says nothing about the matter: the platform was not reached, was not asked, did not feel well, wants
	// fewer calls, or gave an answer that nobody knows. The same call may get another answer later.
	NotNow
	// Gone says that the matter is not there, or not there any more.
	Gone
	// NotAllowed is a clear no: the call is wrong, or somebody's settings, a block, or the platform's rules forbid it.
	NotAllowed
)

var classNames = [...]string{Other: "other", NotNow: "not now", Gone: "gone", NotAllowed: "not allowed"}

// String returns the class in lower-case words.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "unknown"
}

// Classify tells what the failure of a call says. A code counts in the envelope; the HTTP status says only where
// there is none, except for 429. In this list, [contract] is the API's own list of codes, [deployments] is what
// deployments document beyond it, [clients] what was seen in their clients, and [HTTP] the meaning of the HTTP
// status of the same number, which nobody has promised for the code:
//
//	code                       class
//	400 [contract]             NotAllowed: a wrong parameter, a refused action; refusals of send_message share it
//	411 [clients]              NotAllowed: treated like 400
//	403 [HTTP]                 NotAllowed
//	404 [deployments]          Gone
//	410 [deployments]          NotAllowed: a name that is taken, known of signing up alone, which no bot does
//	204 [contract]             Gone, where a thing was asked for; for lists it is no failure
//	401, 402 [contract]        NotNow: about the session or the sign-in
//	429 [HTTP]                 NotNow, as a code or as an HTTP status, with an envelope or without
//	500 [contract], 501–599    NotNow
//	any other                  NotNow: nobody knows; another answer may come later
//
// Calls without an answer, without a session, and with an answer that is not the platform's are NotNow, too; a
// page of a web server in place of an answer may also mean that there is no such call: see Absent.
func Classify(err error) Class {
	if err == nil {
		return Other
	}
	if _, unsent := errors.AsType[*SessionError](err); unsent { // it may wrap what became of another call
		return NotNow
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		return refused.class()
	}
	if errors.As(err, new(*Unreadable)) || errors.As(err, new(*Unreachable)) || errors.Is(err, ErrNoSession) {
		return NotNow
	}
	return Other
}

func (e *Refused) class() Class {
	switch {
	case e.rateLimited():
		return NotNow //mutate:class-busy
	case e.Code == http.StatusNotFound, e.Code == http.StatusNoContent:
		return Gone
	case e.Code == http.StatusBadRequest, e.Code == http.StatusForbidden, e.Code == codeTaken, e.Code == codeBadArgument:
		return NotAllowed
	default:
		return NotNow //mutate:class-unknown
	}
}

// hasChangedNothing reports whether the code says that the platform did nothing.
func (e *Refused) hasChangedNothing() bool {
	//mutate:undone
	return e.class() != NotNow || e.rateLimited() || e.Code == http.StatusUnauthorized || e.Code == http.StatusPaymentRequired
}

// Codes that do not mean what the HTTP status of that number means.
const (
	codeTaken       = 410
	codeBadArgument = 411
)

// Final reports whether a call failed with an answer that will be the same when it is asked again: what it was about
// is gone, or not allowed.
func Final(err error) bool {
	class := Classify(err)
	return class == Gone || class == NotAllowed
}

// NoEndpoint reports whether a page of a web server says in place of the platform that there is no such call: this
// deployment does not have it, or the base address is wrong.
func NoEndpoint(err error) bool {
	unreadable, ok := errors.AsType[*Unreadable](err)
	if !ok {
		return false
	}
	switch unreadable.HTTPStatus {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotImplemented:
		return true
	}
	return false
}

// Absent reports whether a call that is well formed failed as one does that this deployment does not have: with a page
// of the web server (see NoEndpoint), or with code 404, 400 or 411. The codes may also be about what was asked for.
func Absent(err error) bool {
	return NoEndpoint(err) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid)
}

// longestWait is the longest Retry-After that is believed: one answer must not silence an account for ever.
const longestWait = time.Hour

// RetryAfter returns how long the platform asked to be left alone when it failed a call, 0 when it did not. It
// is at most an hour, also when the platform asked for more.
func RetryAfter(err error) time.Duration {
	var asked time.Duration
	if refused, ok := errors.AsType[*Refused](err); ok {
		asked = refused.RetryAfter
	} else if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		asked = unreadable.RetryAfter
	}
	return min(asked, longestWait) //mutate:retry-after-bound
}
