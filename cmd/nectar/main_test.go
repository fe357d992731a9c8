package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"
)

// asNectar in the environment makes this test binary the command itself.
const asNectar = "NECTAR_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asNectar) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// result is what a run of the command leaves.
type result struct {
	status         int
	stdout, stderr string
}

// nectar runs the command with args in an environment without variables.
func nectar(t *testing.T, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	status := execute(t.Context(), shell{args: args, stdin: strings.NewReader(""), stdout: &out, stderr: &err})
	return result{status, out.String(), err.String()}
}

// world is what the configuration is read from.
type world struct {
	environ []string          // "NAME=value"
	files   map[string]string // in the working directory, by name
	args    []string
}

// configure runs a command that loads its configuration, in a new directory with the files of w.
func configure(t *testing.T, w world, needs scope) (Config, result) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range w.files {
		if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr bytes.Buffer
	sh := shell{
		args: append([]string{"load"}, w.args...), environ: w.environ,
		stdin: strings.NewReader(""), stdout: &out, stderr: &stderr,
	}
	var cfg Config
	root := newRoot(sh)
	root.AddCommand(&cobra.Command{Use: "load", RunE: func(cmd *cobra.Command, _ []string) (err error) {
		cfg, err = sh.config(cmd, needs)
		return err
	}})
	status := exitStatus(root.ExecuteContext(t.Context()), &stderr)
	return cfg, result{status, out.String(), stderr.String()}
}
