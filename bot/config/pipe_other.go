//go:build !unix

package config

import "os"

// surviveClosedPipe does nothing: a write that nobody reads only fails.
func surviveClosedPipe(*os.File) {}
