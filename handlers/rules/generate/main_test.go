package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// The schemas that the program carries are those that would be made of its structs now.
func TestSchemasAreGenerated(t *testing.T) {
	for _, name := range schemaNames {
		want, err := schemaOf(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rules.Schema(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("the schema of %s is out of date: run go generate ./handlers/rules\n%s", name, diff)
		}
	}
	if _, err := schemaOf("rule"); err == nil {
		t.Error("there is a schema of anything")
	}
	files, err := os.ReadDir(filepath.FromSlash("../schema"))
	if err != nil || len(files) != len(schemaNames) {
		t.Errorf("%v: there are %d files for %d schemas", err, len(files), len(schemaNames))
	}
}
