package cmd

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
)

// waysFile has the bounds of what a reader has to follow, a line each.
const waysFile = "testdata/ways.txt"

// What one event and one slot of a campaign run is what a reader has to follow; and a room is read from its beginning to its end. These bounds only
// get lower: what raises one names the promise that it buys, in its commit.
func TestWays(t *testing.T) {
	effort.Long(t)
	t.Parallel()
	have, dir := map[string]int{}, t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", dir+string(filepath.Separator), "-coverpkg=./bot,./bot/conversation,./bot/engine,./bot/event,./bot/internal/...,"+
		"./bot/record,./handlers/...,./internal/...,./platform,./platform/internal/...,./platform/session,./plugins/...", "./bot/bottest", "./plugins/campaigns")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, way := range []struct{ name, pkg, test string }{
		{"event", "./bot/bottest", "TestWayOfAnEvent"}, {"slot", "./plugins/campaigns", "TestWayOfASlot"},
	} {
		statements, functions, files := wayOf(t, filepath.Join(dir, filepath.Base(way.pkg)+".test"), way.pkg, way.test)
		have[way.name+" statements"], have[way.name+" functions"] = statements, len(functions)
		t.Logf("one %s runs %d statements in %d functions of %d files that nothing else runs: %s", way.name, statements, len(functions), len(files), strings.Join(files, " "))
	}
	maps.Copy(have, rooms(t))
	if *update {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(have)) {
			fmt.Fprintf(&b, "%s %d\n", name, bound(have[name]))
		}
		if err := os.WriteFile(waysFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	bounds := map[string]int{}
	written, err := os.ReadFile(waysFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(written)) {
		name, number, _ := cutLast(strings.TrimSpace(line))
		bounds[name], _ = strconv.Atoi(number)
	}
	for name, n := range have {
		if most, ok := bounds[name]; !ok || n > most {
			t.Errorf("%s: %d, and at most %d are allowed. Make it shorter; or, for a promise that the commit names: go test ./cmd -run TestWays -update", name, n, most)
		}
	}
}

// bound is what is allowed after somebody counted n: some more, since the goroutines of one run take another turn than those of the next, and nobody
// counts a single line.
func bound(n int) int { return n + n/100 + 10 - (n+n/100)%10 }

// rooms returns the lines of each folder that is no test's and has more than a few.
func rooms(t *testing.T) map[string]int {
	t.Helper()
	lines := map[string]int{}
	for path, file := range sourceFiles(t) {
		if !strings.HasSuffix(path, "_test.go") {
			dir := filepath.ToSlash(filepath.Dir(path))
			lines[dir+" lines"] += file.set.File(file.syntax.FileStart).LineCount()
		}
	}
	maps.DeleteFunc(lines, func(_ string, n int) bool { return n < 1000 })
	return lines
}

// wayOf runs a test with what it is about and without, and returns what only the former runs.
func wayOf(t *testing.T, binary, pkg, test string) (statements int, functions map[string]bool, files []string) {
	t.Helper()
	with, without := covered(t, pkg, binary, test, "with"), covered(t, pkg, binary, test, "without")
	for b, n := range covered(t, pkg, binary, test, "without") { // once more: what runs now and then is no way
		without[b] += n
	}
	seen, blocks := map[string]bool{}, map[string][]block{}
	functions = map[string]bool{}
	for b, n := range with {
		blocks[b.file] = append(blocks[b.file], b)
		if without[b] == 0 && n > 0 {
			statements += b.statements
			seen[b.file] = true
		}
	}
	// A function is on the way when nothing of it runs otherwise.
	for path, file := range sourceFiles(t) {
		for _, d := range file.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !seen[path] {
				continue
			}
			begin, end := file.set.Position(f.Pos()).Line, file.set.Position(f.End()).Line
			ran, ranWithout := false, false
			for _, b := range blocks[path] {
				if begin <= b.line && b.line <= end {
					ran, ranWithout = ran || with[b] > 0, ranWithout || without[b] > 0
				}
			}
			if ran && !ranWithout {
				functions[fmt.Sprint(path, ":", begin)] = true
			}
		}
	}
	return statements, functions, slices.Sorted(maps.Keys(seen))
}

// block is a run of statements, as a profile of coverage has it.
type block struct {
	file, place      string
	line, statements int
}

// covered runs a test once, and returns how often each block ran.
func covered(t *testing.T, pkg, binary, test, way string) map[block]int {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	run := exec.CommandContext(t.Context(), binary, "-test.run", "^"+test+"$", "-test.coverprofile", profile)
	run.Dir, run.Env = filepath.Join("..", pkg), append(os.Environ(), "NECTAR_TEST_WAY="+way)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", test, way, err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	all := map[block]int{}
	const module = "github.com/nectar-bot/nectar/"
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		at, counts, ok := strings.Cut(lines.Text(), " ") // file.go:10.2,12.3 2 1
		file, place, is := strings.Cut(at, ":")
		if !ok || !is || strings.HasPrefix(lines.Text(), "mode:") {
			continue
		}
		b := block{file: strings.TrimPrefix(file, module), place: place}
		var n int
		if _, err := fmt.Sscanf(place+" "+counts, "%d.", &b.line); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(counts, "%d %d", &b.statements, &n); err != nil {
			t.Fatal(err)
		}
		all[b] += n
	}
	return all
}

// cutLast cuts a line at its last blank.
func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}
