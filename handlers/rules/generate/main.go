// Command generate writes the JSON Schemas of rule files into a folder, from the structs that files
// are decoded into: go generate ./handlers/rules runs it. It is no part of the program, which carries
// what it wrote.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
)

var schemaNames = []string{"rules", "settings", "replies"}

func main() {
	if len(os.Args) != 2 {
		fail("usage: go run ./generate FOLDER")
	}
	for _, name := range schemaNames {
		content, err := schemaOf(name)
		if err != nil {
			fail(err)
		}
		path := filepath.Join(os.Args[1], fileOf(name))
		if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // a source file
			fail(err)
		}
	}
}

// fileOf returns the name of the file of a schema.
func fileOf(name string) string { return fmt.Sprintf("%s.v%d.json", name, grammar.FormatVersion) }

func fail(why any) {
	fmt.Fprintln(os.Stderr, "generate:", why)
	os.Exit(1)
}
