package cli

import (
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// Interactive reports whether a person sits at a terminal.
func (sh Shell) Interactive() bool { return print.IsDevice(sh.Stdin) && print.IsDevice(sh.Stdout) }
