package store_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMigrationsStayAsTheyAre: a database that has a migration never runs it again, so one that is edited afterwards would
// make two kinds of databases of one version. What has to change is changed by a new migration.
func TestMigrationsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	stayAsTheyAre(t, "../sqlite/migrations/*.sql", "../sqlite/testdata/migrations.sha256")
	stayAsTheyAre(t, "../postgres/migrations/*.sql", "../postgres/testdata/migrations.sha256")
}

// stayAsTheyAre compares files with a list: a line a file, as sha256sum writes it.
func stayAsTheyAre(t *testing.T, migrations, list string) {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	pinned := map[string]string{}
	for line := range strings.Lines(string(text)) {
		hash, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Errorf("%s has a line that is none: %q", list, line)
		}
		pinned[name] = hash
	}
	files, err := filepath.Glob(migrations)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		name, hash := filepath.Base(file), fmt.Sprintf("%x", sha256.Sum256(content))
		switch old, ok := pinned[name]; {
		case !ok:
			t.Errorf("the migration %s is new: add its line to %s:\n%s  %s", name, list, hash, name)
		case old != hash:
			t.Errorf("the migration %s was edited; databases that have it will never see that. Put it back, and add a new migration", name)
		}
		delete(pinned, name)
	}
	for name := range pinned {
		t.Errorf("the migration %s is gone; databases that have it cannot be opened any more. Put it back", name)
	}
}
