package platform

import "errors"

// UnsentError is the error of a transport that knows that nothing of a request has left.
type UnsentError struct {
	Err error // why not
}

// Error tells why.
func (e *UnsentError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *UnsentError) Unwrap() error { return e.Err }

// KeptBack tells whether a call failed since this process keeps everything back, and so knows that nothing has left. It says nothing
// about the platform.
func KeptBack(err error) bool { return errors.As(err, new(*UnsentError)) }
