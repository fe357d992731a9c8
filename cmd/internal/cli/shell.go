package cli

import (
	"strings"
)

// Variable returns a variable of the environment.
func (sh Shell) Variable(name string) string {
	for _, v := range sh.Environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
