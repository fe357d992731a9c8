//go:build !unix

package cmd

import "os"

// hangup does nothing: there is no SIGHUP.
func hangup(func()) (calls <-chan os.Signal, quiet func()) { return nil, func() {} }
