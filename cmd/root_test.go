package cmd

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

func TestWrongCommandLine(t *testing.T) {
	for name, tc := range map[string]struct {
		args   []string
		stderr string
	}{
		"misspelt command": {[]string{"emulat"}, `nectar: there is no command "emulat"; did you mean "emulate"? (see nectar --help)`},
		"unknown command":  {[]string{"juggle"}, `nectar: there is no command "juggle" (see nectar --help)`},
		"misspelt command with flags": {
			[]string{"emulat", "--people", "3"},
			`nectar: there is no command "emulat"; did you mean "emulate"? (see nectar --help)`,
		},
		"unknown flag of all": {[]string{"--loud"}, `nectar: unknown flag: --loud (see nectar --help)`},
		"unknown flag":        {[]string{"version", "--loud"}, `nectar: unknown flag: --loud (see nectar version --help)`},
		"argument too many": {
			[]string{"version", "x"},
			`nectar: unknown command "x" for "nectar version" (see nectar version --help)`,
		},
		"wrong value": {
			[]string{"emulate", "--faults", "some"},
			`nectar: unknown faults "some": want none, rough or hostile (see nectar emulate --help)`,
		},
		"negative value": {
			[]string{"emulate", "--people=-1"},
			`nectar: --people, --messages and --pause cannot be negative (see nectar emulate --help)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := result{status: 2, stderr: tc.stderr + "\n"}
			if diff := cmp.Diff(want, nectar(t, tc.args...), cmp.AllowUnexported(result{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHelpListsTheCommands(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"help"}} {
		got := nectar(t, args...)
		if got.status != 0 || got.stderr != "" {
			t.Errorf("nectar %v: status %d, %s", args, got.status, got.stderr)
		}
		for _, want := range []string{"Exit status: 0 done", "  demo ", "  run ", "  emulate ", "  plan ", "  campaigns ", "  doctor ", "  migrate ", "  version "} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("nectar %v does not say %q", args, want)
			}
		}
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	for _, cmd := range subcommands(cli.Shell{}) {
		if cmd.Hidden {
			continue // for other commands to call
		}
		if cmd.Short == "" || cmd.Long == "" || cmd.GroupID == "" || cmd.Args == nil {
			t.Errorf("%s: want Short, Long, GroupID and Args", cmd.Name())
		}
		if !strings.Contains(cmd.Example, "  nectar "+cmd.Name()) {
			t.Errorf("%s: the example does not run it", cmd.Name())
		}
		if !strings.HasPrefix(cmd.Long, strings.ToUpper(cmd.Name()[:1])+cmd.Name()[1:]) {
			t.Errorf("%s: the long help does not begin with the name", cmd.Name())
		}
	}
}

func TestErrorsArePrintedLineByLineWithoutSecrets(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		status int
		stderr string
	}{
		"any error":    {errors.New("GET /profile?session_id=hunter2&x=1: refused"), 1, "nectar: GET /profile?session_id=[redacted]&x=1: refused\n"},
		"several":      {&cli.ExitError{Code: cli.ExitConfig, Err: config.Problems{"one", "two"}}, 78, "nectar: one\nnectar: two\n"},
		"nothing more": {&cli.ExitError{Code: 1}, 1, ""},
		"none":         {nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			if got := cli.ExitStatus(tc.err, &stderr); got != tc.status || stderr.String() != tc.stderr {
				t.Errorf("got status %d and %q", got, &stderr)
			}
		})
	}
}
