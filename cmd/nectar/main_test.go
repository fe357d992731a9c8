package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// hunter2 is the secret that must not get through.
const hunter2 = "hunter2"

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
