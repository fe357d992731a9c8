package effort

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// Sampled reports whether the n-th of many cases is run: each fifth where few are enough, each 25th with -short and
// under the race detector.
func Sampled(n int) bool { return !Few() || n%5 == 0 && (!isLeast() || n%25 == 0) }

// Some reports whether the case of that name is run: about one in three where few are enough, always the
// same ones.
func Some(name string) bool {
	chosen := !Few() || hash(name)%3 == 0
	_, file, line, _ := runtime.Caller(1)
	choices.Lock()
	defer choices.Unlock()
	place := fmt.Sprintf("%s:%d", file, line)
	choices.chosen[place] = choices.chosen[place] || chosen
	return chosen
}

// Case lets a case of a table run beside the others, in the place of t.Parallel. Where few are enough, about every second one runs, and with
// -short and under the race detector one in sixteen: at least one of each table, and always the same ones, in any order of the cases.
func Case(t *testing.T) {
	t.Helper()
	end := strings.LastIndex(t.Name(), "/")
	if end < 0 {
		t.Fatal("it is no case of a table")
	}
	share := share()
	if share == 1 {
		t.Parallel()
		return
	}
	table, own := t.Name()[:end], hash(t.Name())
	tables.Lock()
	if least, ok := tables.least[table]; !ok || own < least {
		tables.least[table] = own
	}
	tables.Unlock()
	t.Parallel() // until all of the table have come here
	tables.Lock()
	defer tables.Unlock()
	if own%share != 0 && own != tables.least[table] {
		t.Skip("its relatives are enough: NECTAR_TEST=all leaves none out")
	}
}

// share is of how many cases of a table one runs.
func share() uint32 {
	switch {
	case isLeast():
		return 16
	case chosenPart():
		return 2
	}
	return 1
}

// tables are the tables with cases that called Case.
var tables = struct {
	sync.Mutex                   // guards the field below
	least      map[string]uint32 // of the hashes of their names
}{least: map[string]uint32{}}

func hash(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	return h.Sum32()
}

// choices remembers who asked Some, and whether a case was chosen there.
var choices = struct {
	sync.Mutex // guards the fields below
	chosen     map[string]bool
}{chosen: map[string]bool{}}

// Choosing are tests that ask Some: they fail when all cases of one are left out. What they leave behind is small and much, so it is collected
// less often than usual, unless GOGC says when: that takes a quarter off their time.
func Choosing(m *testing.M) interface{ Run() int } { return choosing{m} }

type choosing struct{ *testing.M }

// Run runs the tests.
func (c choosing) Run() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	code := c.M.Run()
	for place, chosen := range choices.chosen {
		if !chosen {
			fmt.Fprintf(os.Stderr, "%s: no case is run where few are enough: call one otherwise\n", place)
			code = max(code, 1)
		}
	}
	return code
}
