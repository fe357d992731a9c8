package print

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/nectar-bot/nectar/bot/config"
)

// WriteLine writes v for machines: one object on a line.
func WriteLine(w io.Writer, v any) error { return encodeJSON(w, v, "") }

// WriteLines writes a line for each of some things, as other programs read it.
func WriteLines[T any](w io.Writer, all []T, forMachines func(*T) any) error {
	for i := range all {
		if err := WriteLine(w, forMachines(&all[i])); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes v for machines: one object, indented.
func WriteJSON(w io.Writer, v any) error { return encodeJSON(w, v, "  ") }

// encodeJSON writes v whole, with escapes for signs that nobody sees.
func encodeJSON(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(config.JSON(w))
	enc.SetIndent("", indent)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
