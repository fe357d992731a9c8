package config

import (
	"io"

	"go.uber.org/fx/fxevent"
)

// Variable is a variable as the code declares it.
type Variable struct{ Name, Preset string }

// Declared returns the variables in the order of their declaration.
func Declared() []Variable {
	var declared []Variable
	for _, f := range append(fieldsOf(Account{}), fieldsOf(Config{})...) {
		declared = append(declared, Variable{envPrefix + f.key, f.preset})
	}
	return declared
}

// Failures returns the log of Module's application, written to w.
func Failures(w io.Writer) fxevent.Logger { return failures{w} }
