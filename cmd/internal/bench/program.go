package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/demo"
)

// workingTree stands for what is not committed yet.
const workingTree = "."

// program is nectar as a commit has it.
type program struct {
	name   string // as it was asked for
	commit string // in short, and whether there is more than it
	path   string
}

// buildProgram builds nectar of a commit, or of the working tree, in a folder of its own.
func buildProgram(ctx context.Context, dir, name string) (program, error) {
	p := program{name: name, path: filepath.Join(dir, "nectar.exe")}
	source, err := "", os.Mkdir(dir, 0o700)
	if err != nil {
		return p, fmt.Errorf("make a folder for a program: %w", err)
	}
	if name == workingTree {
		if source, err = runGit(ctx, "rev-parse", "--show-toplevel"); err != nil {
			return p, err
		}
		p.commit, err = runGit(ctx, "describe", "--always", "--exclude=*", "--dirty=, changed")
	} else {
		if p.commit, err = runGit(ctx, "rev-parse", "--verify", "--quiet", "--short", name+"^{commit}"); err != nil {
			return p, fmt.Errorf("there is no commit %q: name one, or . for the working tree", name)
		}
		source = filepath.Join(dir, "source")
		_, err = runGit(ctx, "worktree", "add", "--detach", source, p.commit)
		// What Git knows of the folder goes with it, also when it was not made to its end.
		defer func() {
			_, _ = runGit(context.WithoutCancel(ctx), "worktree", "remove", "--force", source)
		}()
	}
	if err != nil {
		return p, err
	}
	// Without the paths of folders in it, what both have in common is compiled once, and once for all times.
	_, err = runTool(ctx, source, nil, "go", "build", "-trimpath", "-o", p.path, "./cmd/nectar")
	return p, err
}

// playDemo plays a demo, and returns its verdict, which is clear.
func (p program) playDemo(ctx context.Context, flags []string) (demo.Report, error) {
	temp := filepath.Dir(p.path)
	said, err := runTool(ctx, temp, []string{"TMPDIR=" + temp, "TMP=" + temp}, p.path, slices.Concat([]string{"demo"}, flags, []string{"--quiet", "--json"})...)
	var r demo.Report
	switch badJSON := json.Unmarshal([]byte(said), &r); {
	case badJSON == nil && !r.OK:
		return r, fmt.Errorf("%s: a run was not clear, so nothing is compared: lost %d, doubled %d, out of order %d, wrong at the end %d",
			p.name, r.Lost, r.Doubled, r.OutOfOrder, r.LikesWrong+r.RepostsWrong+r.FollowsWrong)
	case err != nil:
		return r, fmt.Errorf("%s: %w", p.name, err)
	case badJSON != nil || r.Replies == 0:
		return r, fmt.Errorf("%s: the demo printed no verdict about replies", p.name)
	}
	return r, nil
}

// runGit runs Git where we are, and returns what it says.
func runGit(ctx context.Context, args ...string) (string, error) {
	return runTool(ctx, "", nil, "git", args...)
}

// runTool runs a program there, and returns what it says. An error is what the program said last.
func runTool(ctx context.Context, dir string, environment []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // git, go, and what was built
	var out, complaint bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), environment...), &out, &complaint
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it can tidy up
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args[:min(len(args), 2)], " "), err, lines[len(lines)-1])
	}
	return strings.TrimSpace(out.String()), err
}

// inFolder gives work a folder, and removes it.
func inFolder(work func(dir string) error) error {
	dir, err := os.MkdirTemp("", "nectar-bench-")
	if err != nil {
		return fmt.Errorf("make a folder for what is measured: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return work(dir)
}
