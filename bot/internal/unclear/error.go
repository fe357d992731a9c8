package unclear

import "fmt"

// Error is the error of what nobody knows whether it is stored: the database was told to, and its answer got
// lost. Only a store that is closed before it is known tells it.
type Error struct {
	Err error // what got in the way
}

// Error tells what got in the way.
func (e *Error) Error() string {
	return fmt.Sprintf("it is not known whether this is stored: %v", e.Err)
}

// Unwrap returns what got in the way.
func (e *Error) Unwrap() error { return e.Err }
