//go:build !unix

package cli

import "os"

// Hangup does nothing: there is no SIGHUP.
func Hangup(func()) (calls <-chan os.Signal, quiet func()) { return nil, func() {} }
