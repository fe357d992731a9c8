package store_test

import "testing"

func TestUnclearCommits(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) { testUnclear(t, e) })
	}
}
