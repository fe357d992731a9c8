package rules

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:generate go run ./generate schema

// schemaFiles are the schemas, made of the structs that files are decoded into.
//
//go:embed schema/*.v1.json
var schemaFiles embed.FS

var schemaNames = []string{"rules", "settings", "replies"}

// Schema returns the JSON Schema by which editors complete and check files of a kind: "rules", "settings" or "replies".
func Schema(name string) ([]byte, error) {
	if !slices.Contains(schemaNames, name) {
		return nil, fmt.Errorf("there is no schema %q: want %s", name, strings.Join(schemaNames, ", "))
	}
	content, err := schemaFiles.ReadFile("schema/" + name + ".v1.json")
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", name, err)
	}
	return content, nil
}
