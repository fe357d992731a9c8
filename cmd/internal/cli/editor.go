package cli

import (
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// IsInteractive reports whether a person sits at a terminal.
func (sh Shell) IsInteractive() bool { return print.IsDevice(sh.Stdin) && print.IsDevice(sh.Stdout) }
