//go:build unix

package rules_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nectar-bot/nectar/handlers/rules"
)

// What is called like a rule file and is none is named, with what to do, whether the folder is read or it alone; a pipe is not waited for.
func TestReadSourcesOfWhatIsNoFile(t *testing.T) {
	t.Parallel()
	const name, elsewhere = "20-more.yaml", " it is a link that leads out of the folder: put the file itself in its place"
	const nowhere, otherwise = " it is a link that leads nowhere: delete it, or put back what it leads to", ": delete it, or give it a name that does not end in .yaml"
	link := func(to string) func(*testing.T, string) error {
		return func(_ *testing.T, path string) error { return os.Symlink(to, path) }
	}
	for what, c := range map[string]struct {
		make func(t *testing.T, path string) error
		want string
	}{
		"a link to nothing":      {link("none.yaml"), nowhere},
		"a link to nothing else": {link("/none/none.yaml"), nowhere},
		"a link out of it":       {link("../../etc/20-more.yaml"), elsewhere},
		"a link to a folder":     {link("old"), " it is a folder" + otherwise},
		"a link to itself":       {link(name), ""},
		"a pipe":                 {func(_ *testing.T, path string) error { return syscall.Mkfifo(path, 0o600) }, " it is a pipe" + otherwise},
		"a link to a pipe": {func(t *testing.T, path string) error {
			t.Helper()
			if err := syscall.Mkfifo(filepath.Join(filepath.Dir(path), "pipe"), 0o600); err != nil {
				return err
			}
			return os.Symlink("pipe", path)
		}, " it is a pipe" + otherwise},
		"a socket": {func(t *testing.T, path string) error {
			t.Helper()
			l, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
			if err == nil {
				t.Cleanup(func() { _ = l.Close() })
			}
			return err
		}, " it is a socket" + otherwise},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			top, err := os.MkdirTemp("", "rules") //nolint:usetesting // the name of a socket has to be short
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(top) })
			dir := filepath.Join(top, "shop", "rules")
			for path, content := range map[string]string{"etc/20-more.yaml": "", "shop/rules/10-faq.yaml": "version: 1\n", "shop/rules/old/30-old.yaml": ""} {
				path = filepath.Join(top, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(dir, name)
			if err := c.make(t, file); err != nil {
				t.Fatal(err)
			}
			paths := []string{dir, file}
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				paths = paths[:1] // named, it is the folder that is read
			}
			for _, path := range paths {
				switch _, err := rules.ReadSources(path); {
				case err == nil || strings.Contains(err.Error(), "\n"):
					t.Errorf("%s: %v", path, err)
				case c.want == "" && strings.HasPrefix(err.Error(), file+" cannot be read: "):
				case err.Error() != file+" cannot be read:"+c.want:
					t.Errorf("%s\ngot  %v\nwant %s cannot be read:%s", path, err, file, c.want)
				}
			}
		})
	}
}
