package cmd

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a demo of workers cannot be played with is refused in a line.
func TestDemoOfWorkersRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--workers", "4"},
		{"--workers", "-1"},
		{"--workers", "17", "--store", "postgres"},
		{"--workers", "-1", "--store", "postgres"},
		{"--store", "mysql"},
		{"--freezes", "1"},
		{"--cuts", "1"},
		{"--restarts", "1"},
		{"--fills", "1"},
		{"--failovers", "1"},
		{"--deploys", "-1"},
		{"--store", "postgres", "--cuts", "-1"},
		{"--store", "postgres", "--accounts", "0"},
		{"--store", "postgres", "--people", "3"},
		{"--store", "postgres", "--bare"},
		{"--store", "postgres", "--rules"},
		{"--store", "postgres", "--in-process"},
		{"--store", "postgres", "--campaigns"},
	} {
		r := nectar(t, append([]string{"demo"}, args...)...)
		if r.status != 2 || strings.Count(strings.TrimSpace(r.stderr), "\n") != 0 || r.stdout != "" {
			t.Errorf("%q: %d %s", args, r.status, r.stderr)
		}
	}
}

// The same seed draws the same incidents, and all that were asked for.
func TestDemoDrawsIncidents(t *testing.T) {
	t.Parallel()
	d := demo{seed: 7, workers: 4, kills: 10, freezes: 10, cuts: 10, restarts: 3, deploys: 2}
	count := map[incidentKind]int{}
	long, again := 0, d.incidents()
	for n, i := range d.incidents() {
		count[i.kind]++
		if *i != *again[n] {
			t.Errorf("%d is drawn as %+v, and as %+v", n, i, again[n])
		}
		if i.kind == byFreeze && i.lasts > 5*time.Second {
			long++
		}
	}
	if count[byKill] != 10 || count[byFreeze] != 10 || count[byCut] != 8 || count[byBlock] != 2 || count[byRestart] != 3 || count[byDeploy] != 2 || long != 5 {
		t.Errorf("%v, %d long freezes", count, long)
	}
}

// What is said about how accounts were looked after follows from when their requests arrived.
func TestJudgeOfCare(t *testing.T) {
	t.Parallel()
	at := func(s float64) time.Time {
		return time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
	}
	spells := func(all ...float64) (spells []spell) { // life, from, to
		for part := range slices.Chunk(all, 3) {
			spells = append(spells, spell{int(part[0]), at(part[1]), at(part[2])})
		}
		return spells
	}
	befell := func(k incidentKind, life int, from, until float64) *incident {
		return &incident{kind: k, life: life, at: at(from), until: at(until)}
	}
	const second = time.Second
	for name, test := range map[string]struct {
		spells    []spell
		incidents []*incident
		doubts    []doubt
		want      func(c *care) bool
	}{
		"a kill": {spells(1, 0, 10, 2, 16, 30), []*incident{befell(byKill, 1, 10, 10)}, []doubt{{"a", 2, at(15), at(9)}}, func(c *care) bool {
			return slices.Equal(c.taken[byKill], []time.Duration{6 * second}) && len(c.clear) == 1 && c.handed == nil && c.doubts == 0
		}},
		"a kill of another one": {spells(1, 0, 30), []*incident{befell(byKill, 2, 10, 10)}, nil, func(c *care) bool {
			return c.taken[byKill] == nil && c.clear == nil
		}},
		"a kill, and another one meanwhile": {spells(1, 0, 10, 3, 21, 30), []*incident{befell(byKill, 1, 10, 10), befell(byKill, 2, 15, 15)}, nil, func(c *care) bool {
			return slices.Equal(c.taken[byKill], []time.Duration{11 * second}) && c.clear == nil
		}},
		"a freeze": {spells(1, 0, 10, 1, 12, 30), []*incident{befell(byFreeze, 1, 10, 12)}, nil, func(c *care) bool {
			return slices.Equal(c.alone[byFreeze], []time.Duration{2 * second}) && c.taken[byFreeze] == nil
		}},
		"a cut that is not felt": {spells(1, 0, 30), []*incident{befell(byCut, 1, 10, 12)}, nil, func(c *care) bool {
			return slices.Equal(c.alone[byCut], []time.Duration{0})
		}},
		"a cut": {spells(1, 0, 14, 2, 16, 30), []*incident{befell(byCut, 1, 10, 20)}, nil, func(c *care) bool {
			return slices.Equal(c.taken[byCut], []time.Duration{6 * second})
		}},
		"a restart": {spells(1, 0, 10, 1, 13, 30), []*incident{befell(byRestart, 0, 10, 11)}, nil, func(c *care) bool {
			return slices.Equal(c.alone[byRestart], []time.Duration{3 * second})
		}},
		"a hand-over": {spells(1, 0, 10, 2, 10.5, 30), []*incident{befell(byDeploy, 1, 9, 11)}, []doubt{{"a", 2, at(10.2), at(9)}, {"a", 2, at(10.2), at(9.5)}, {"a", 2, at(10.2), at(-1)}, {"b", 2, at(10.2), at(9)}}, func(c *care) bool {
			return slices.Equal(c.handed, []time.Duration{second / 2}) && c.doubts == 2
		}},
		"no hand-over, but a death": {spells(1, 0, 10, 2, 16, 30), []*incident{befell(byItself, 1, 10, 10)}, nil, func(c *care) bool {
			return c.handed == nil
		}},
	} {
		if c := judgeCare(map[string][]spell{"a": test.spells}, test.incidents, test.doubts); !test.want(c) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// A road holds what is on its way, loses it, or is cut, as it is told.
func TestRoad(t *testing.T) {
	t.Parallel()
	var listener net.ListenConfig
	far, err := listener.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan string, 10)
	go func() {
		for {
			c, err := far.Accept()
			if err != nil {
				return
			}
			go func() {
				said, _ := io.ReadAll(c)
				arrived <- string(said)
				_ = c.Close()
			}()
		}
	}()
	var dialer net.Dialer
	r, err := newRoad(t.Context(), func() (net.Conn, error) { return dialer.DialContext(t.Context(), "tcp", far.Addr().String()) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close(); r.end() })
	say := func(text string) {
		c, err := dialer.DialContext(t.Context(), "tcp", r.address())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text) // it may be refused
		if text == "three" {
			_, _ = c.Read(make([]byte, 1)) // it is
		}
		_ = c.Close()
	}
	say("one")
	if got := <-arrived; got != "one" {
		t.Errorf("%q has arrived", got)
	}
	r.stall()
	say("two")
	select {
	case got := <-arrived:
		t.Errorf("%q has arrived while all is held", got)
	default:
	}
	r.mend(false)
	if got := <-arrived; got != "two" {
		t.Errorf("%q has arrived", got)
	}
	r.snap()
	say("three")
	r.mend(true)
	say("four")
	if got := <-arrived; got != "four" {
		t.Errorf("%q has arrived", got)
	}
}
