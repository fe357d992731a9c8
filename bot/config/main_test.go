package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/config"
	_ "github.com/nectar-bot/nectar/bot/postgres"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hunter2 is the secret that must not get through.
const hunter2 = "hunter2"

// world is what the configuration is read from.
type world struct {
	environ []string          // "NAME=value"
	files   map[string]string // in the working directory, by name
	envFile string
}

const (
	withoutAccounts = false
	withAccounts    = true
)

// load reads the configuration in a new directory with the files of w. It returns what is wrong, a
// line each.
func load(t *testing.T, w world, accounts bool) (config.Config, string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range w.files {
		if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(config.Source{Environ: append([]string{}, w.environ...), EnvFile: w.envFile, Accounts: accounts})
	if err == nil {
		return cfg, ""
	}
	wrong, ok := err.(config.Problems) //nolint:errorlint // it is documented to be of this very type
	if !ok || err.Error() != strings.Join(wrong, "\n") {
		t.Fatalf("got a %T: %v", err, err)
	}
	return cfg, err.Error() + "\n"
}
