package accounts

import (
	"errors"
)

// ErrParked refuses to park an account without saying why.
var ErrParked = errors.New("--state parked wants to know --why")
