//go:build !unix

package cli

import "os"

// NotifyHangup does nothing: there is no SIGHUP.
func NotifyHangup(func()) (calls <-chan os.Signal, quiet func()) { return nil, func() {} }
