package platform

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// What a refusal, or another failure, means, for errors.Is. Codes marked "seen in clients" are not in the contract.
var (
	// ErrInvalid is code 400: a wrong or missing parameter, a refused action, or an invalid session.
	ErrInvalid = errors.New("invalid request")
	// ErrUnauthorized is code 401: the session is missing or invalid.
	ErrUnauthorized = errors.New("unauthorized")
	// ErrBadCredentials is code 402: a sign-in with wrong credentials.
	ErrBadCredentials = errors.New("bad credentials")
	// ErrNotFound is code 404 (documented by deployments).
	ErrNotFound = errors.New("not found")
	// ErrTaken is code 410: a name is taken already (documented by deployments).
	ErrTaken = errors.New("already taken")
	// ErrServer is code 500, or another of its class.
	ErrServer = errors.New("server error")
	// ErrRateLimited is 429, as a code or as an HTTP status.
	ErrRateLimited = errors.New("rate limited")
	// ErrNoSession is a call that needs a session and found none.
	ErrNoSession = errors.New("no session")
	// ErrUnsent is what a transport wraps that knows that nothing of a request has left, and lets nothing leave. It says
	// nothing about the platform.
	ErrUnsent = errors.New("nothing was sent")

	// What may be wrong with an answer that is Unreadable.

	// ErrTooLarge is an answer that is longer than Config.MaxBody.
	ErrTooLarge = errors.New("it is larger than MaxBody")
	// ErrUnnamed is an answer without a code to a call that made something, as far as it says, which does not name what it made.
	ErrUnnamed = errors.New("it has no code, and does not name what was made")
	// ErrCutOff is an answer that breaks off, or is no JSON from some place on.
	ErrCutOff = errors.New("it is not whole")
)

// Unreachable is a call that got no answer at all.
type Unreachable struct {
	Endpoint string
	Sent     bool // the request may have left, so the platform may have handled it
	Err      error
}

// Error implements error.
func (e *Unreachable) Error() string {
	how := "before the request left"
	if e.Sent {
		how = "after the request may have left"
	}
	return fmt.Sprintf("%s: platform unreachable, %s: %v", e.Endpoint, how, e.Err)
}

// Unwrap returns the cause: a network error, or that of the context.
func (e *Unreachable) Unwrap() error { return e.Err }

// Unreadable is an answer that is not the envelope of the platform, or not all of it.
type Unreadable struct {
	Endpoint   string
	HTTPStatus int
	Head       []byte        // how the answer began: at most 200 bytes, without secrets and addresses; nil of sign-ins
	Looks      Looks         // what it began like
	RetryAfter time.Duration // 0 when the platform did not say
	Err        error         // what was wrong with it
}

// Looks is what an answer looks like that is not the envelope of the platform, or not all of it.
type Looks string

// What an answer can look like; "" is none of these.
const (
	LooksCut  Looks = "an answer of the platform" // it begins as an answer of the platform does
	LooksPage Looks = "a web page"                // HTML or XML
	LooksTLS  Looks = "a host that wants TLS"     // a web server that was asked without https
)

// looksLike tells what an answer looks like by how it begins.
func looksLike(answer []byte) Looks {
	head := bytes.ToLower(bytes.TrimSpace(answer[:min(len(answer), headSize)]))
	switch {
	case bytes.Contains(head, []byte("http request to an https server")):
		return LooksTLS
	case bytes.HasPrefix(head, []byte("{")):
		return LooksCut
	case bytes.HasPrefix(head, []byte("<")):
		return LooksPage
	}
	return ""
}

// Error implements error.
func (e *Unreadable) Error() string {
	text := fmt.Sprintf("%s: unreadable answer, HTTP status %d: %v", e.Endpoint, e.HTTPStatus, e.Err)
	if len(e.Head) > 0 {
		text += fmt.Sprintf(": it begins with %q", e.Head)
	} else if e.Looks != "" {
		text += fmt.Sprintf(": it looks like %s", e.Looks)
	}
	return text
}

// Unwrap returns what was wrong with the answer.
func (e *Unreadable) Unwrap() error { return e.Err }

// Is matches ErrRateLimited by the HTTP status.
func (e *Unreadable) Is(target error) bool {
	return target == ErrRateLimited && e.HTTPStatus == http.StatusTooManyRequests
}

// Refused is an answer of the platform with a code that means no.
type Refused struct {
	Endpoint   string
	Code       int // of the envelope
	HTTPStatus int
	Message    string        // for people, perhaps translated: never decide by it; at most 500 bytes, scrubbed
	RetryAfter time.Duration // 0 when the platform did not say
}

// Error implements error.
func (e *Refused) Error() string {
	return fmt.Sprintf("%s: refused with code %d: %s", e.Endpoint, e.Code, e.Message)
}

// Is matches the error that stands for the code.
func (e *Refused) Is(target error) bool {
	switch target {
	case ErrInvalid:
		return e.Code == 400 || e.Code == codeBadArgument // 411: seen in clients
	case ErrUnauthorized:
		return e.Code == 401
	case ErrBadCredentials:
		return e.Code == 402
	case ErrNotFound:
		return e.Code == 404
	case ErrTaken:
		return e.Code == codeTaken
	case ErrServer:
		return e.Code >= 500 && e.Code <= 599
	case ErrRateLimited:
		return e.rateLimited()
	default:
		return false
	}
}

func (e *Refused) rateLimited() bool {
	return e.Code == http.StatusTooManyRequests || e.HTTPStatus == http.StatusTooManyRequests
}

// SessionError is a call that was not sent, or not sent again after a refusal, because there was no
// session to send it with.
type SessionError struct {
	Endpoint string
	Err      error // what the Authorizer said, or ErrNoSession
}

// Error implements error.
func (e *SessionError) Error() string { return fmt.Sprintf("%s: no session: %v", e.Endpoint, e.Err) }

// Unwrap returns what the Authorizer said.
func (e *SessionError) Unwrap() error { return e.Err }

// Is matches ErrNoSession.
func (e *SessionError) Is(target error) bool { return target == ErrNoSession }

// InDoubt reports whether the platform may have handled the call that err comes from although no clear
// answer arrived. Repeating such a call may do a thing twice, or take it back. False for nil. A code that nobody
// knows is no clear answer.
func InDoubt(err error) bool {
	// What failed on the way to a session says nothing about the call that waited for it.
	if _, unsent := errors.AsType[*SessionError](err); unsent {
		return false
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		return !refused.hasChangedNothing()
	}
	if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		return unreadable.HTTPStatus != http.StatusTooManyRequests
	}
	unreachable, ok := errors.AsType[*Unreachable](err)
	return ok && unreachable.Sent
}
