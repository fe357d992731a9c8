package cmd

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/nectar-bot/nectar/cmd/internal/cli"
)

func TestVersion(t *testing.T) {
	line := cli.ReadBuild().String() + "\n"
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if got := nectar(t, args...); got.stdout != line || got.status != 0 {
			t.Errorf("nectar %v: status %d, printed %q, want %q", args, got.status, got.stdout, line)
		}
	}
}

func TestVersionForMachines(t *testing.T) {
	var got struct{ Version, Go, System string }
	if err := json.Unmarshal([]byte(nectar(t, "version", "--json").stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version == "" || got.Go != runtime.Version() || got.System != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("got %+v", got)
	}
}

func TestVersionNamesTheCommit(t *testing.T) {
	b := cli.BuildInfo{Version: "v1.2.0", Commit: "0123456789abcdef", Modified: true, Go: "go1.26", System: "linux/arm64"}
	if got, want := b.String(), "nectar v1.2.0, commit 0123456789ab with changes, go1.26, linux/arm64"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
