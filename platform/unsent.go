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

// unsent tells whether a transport knows that nothing has left.
func unsent(err error) bool { return errors.As(err, new(*UnsentError)) }
