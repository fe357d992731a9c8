package seal

import (
	"sync"
	"testing"
)

// A key that takes the place of another one is not pushed out by somebody who reads the keys again at that moment.
func TestKeysReadAgainWhileOneChanges(t *testing.T) {
	t.Parallel()
	for range 3000 {
		if got := turnKey(t, 40); got != 40 {
			t.Fatalf("the key %d seals again", got)
		}
	}
}

// turnKey lets somebody read the keys again while the newest of so many takes its place, and returns which one seals then.
func turnKey(tb testing.TB, keys int) (seals int) {
	tb.Helper()
	r := NewRing()
	for n := 1; n < keys; n++ {
		if err := r.add(uint16(n), NewKey()); err != nil {
			tb.Fatal(err)
		}
	}
	v := &Vault{load: func() (*Ring, error) { return NewRing(), nil }}
	v.UseRing(r)
	next := NewRing()
	if err := next.add(uint16(keys), NewKey()); err != nil {
		tb.Fatal(err)
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = v.reload() })
	both.Go(func() { v.UseRing(next) })
	both.Wait()
	return int(v.Ring.Load().Newest)
}
