package effort

import (
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"sync"
	"testing"
)

// Sampled reports whether the n-th of many cases is run: each fifth where few are enough.
func Sampled(n int) bool { return !Few() || n%5 == 0 }

// One reports whether the n-th of several cases is run where one is enough: which it is depends on the test.
func One(tb testing.TB, n, cases int) bool {
	tb.Helper()
	return !Few() || int(hash(tb.Name())%uint32(cases)) == n
}

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

// Choosing are tests that ask Some: they fail when all cases of one are left out.
type Choosing struct{ *testing.M }

// Run runs them.
func (m Choosing) Run() int {
	code := m.M.Run()
	for place, chosen := range choices.chosen {
		if !chosen {
			fmt.Fprintf(os.Stderr, "%s: no case is run where few are enough: call one otherwise\n", place)
			code = max(code, 1)
		}
	}
	return code
}
