package cmd

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/demo"
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
	d := demo.Demo{Seed: 7, Workers: 4, Kills: 10, Freezes: 10, Cuts: 10, Restarts: 3, Deploys: 2}
	count := map[demo.IncidentKind]int{}
	long, again := 0, d.DrawIncidents()
	for n, i := range d.DrawIncidents() {
		count[i.Kind]++
		if *i != *again[n] {
			t.Errorf("%d is drawn as %+v, and as %+v", n, i, again[n])
		}
		if i.Kind == demo.ByFreeze && i.Lasts > 5*time.Second {
			long++
		}
	}
	if count[demo.ByKill] != 10 || count[demo.ByFreeze] != 10 || count[demo.ByCut] != 8 || count[demo.ByBlock] != 2 || count[demo.ByRestart] != 3 || count[demo.ByDeploy] != 2 || long != 5 {
		t.Errorf("%v, %d long freezes", count, long)
	}
}

// What is said about how accounts were looked after follows from when their requests arrived.
func TestJudgeOfCare(t *testing.T) {
	t.Parallel()
	at := func(s float64) time.Time {
		return time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
	}
	spells := func(all ...float64) (spells []demo.Spell) { // incarnation, from, to
		for part := range slices.Chunk(all, 3) {
			spells = append(spells, demo.Spell{Incarnation: int(part[0]), From: at(part[1]), To: at(part[2])})
		}
		return spells
	}
	befell := func(k demo.IncidentKind, incarnation int, from, until float64) *demo.Incident {
		return &demo.Incident{Kind: k, Incarnation: incarnation, At: at(from), Until: at(until)}
	}
	const second = time.Second
	for name, test := range map[string]struct {
		spells    []demo.Spell
		incidents []*demo.Incident
		doubts    []demo.Doubt
		want      func(c *demo.Care) bool
	}{
		"a kill": {spells(1, 0, 10, 2, 16, 30), []*demo.Incident{befell(demo.ByKill, 1, 10, 10)}, []demo.Doubt{{Account: "a", Incarnation: 2, At: at(15), Left: at(9)}}, func(c *demo.Care) bool {
			return slices.Equal(c.Taken[demo.ByKill], []time.Duration{6 * second}) && len(c.Clear) == 1 && c.Handed == nil && c.Doubts == 0
		}},
		"a kill of another one": {spells(1, 0, 30), []*demo.Incident{befell(demo.ByKill, 2, 10, 10)}, nil, func(c *demo.Care) bool {
			return c.Taken[demo.ByKill] == nil && c.Clear == nil
		}},
		"a kill, and another one meanwhile": {spells(1, 0, 10, 3, 21, 30), []*demo.Incident{befell(demo.ByKill, 1, 10, 10), befell(demo.ByKill, 2, 15, 15)}, nil, func(c *demo.Care) bool {
			return slices.Equal(c.Taken[demo.ByKill], []time.Duration{11 * second}) && c.Clear == nil
		}},
		"a freeze": {spells(1, 0, 10, 1, 12, 30), []*demo.Incident{befell(demo.ByFreeze, 1, 10, 12)}, nil, func(c *demo.Care) bool {
			return slices.Equal(c.Alone[demo.ByFreeze], []time.Duration{2 * second}) && c.Taken[demo.ByFreeze] == nil
		}},
		"a cut that is not felt": {spells(1, 0, 30), []*demo.Incident{befell(demo.ByCut, 1, 10, 12)}, nil, func(c *demo.Care) bool {
			return slices.Equal(c.Alone[demo.ByCut], []time.Duration{0})
		}},
		"a cut": {spells(1, 0, 14, 2, 16, 30), []*demo.Incident{befell(demo.ByCut, 1, 10, 20)}, nil, func(c *demo.Care) bool {
			return slices.Equal(c.Taken[demo.ByCut], []time.Duration{6 * second})
		}},
		"a restart": {spells(1, 0, 10, 1, 13, 30), []*demo.Incident{befell(demo.ByRestart, 0, 10, 11)}, nil, func(c *demo.Care) bool {
			return slices.Equal(c.Alone[demo.ByRestart], []time.Duration{3 * second})
		}},
		"a hand-over": {spells(1, 0, 10, 2, 10.5, 30), []*demo.Incident{befell(demo.ByDeploy, 1, 9, 11)}, []demo.Doubt{{Account: "a", Incarnation: 2, At: at(10.2), Left: at(9)}, {Account: "a", Incarnation: 2, At: at(10.2), Left: at(9.5)}, {Account: "a", Incarnation: 2, At: at(10.2), Left: at(-1)}, {Account: "b", Incarnation: 2, At: at(10.2), Left: at(9)}}, func(c *demo.Care) bool {
			return slices.Equal(c.Handed, []time.Duration{second / 2}) && c.Doubts == 2
		}},
		"no hand-over, but a death": {spells(1, 0, 10, 2, 16, 30), []*demo.Incident{befell(demo.ByItself, 1, 10, 10)}, nil, func(c *demo.Care) bool {
			return c.Handed == nil
		}},
	} {
		if c := demo.JudgeCare(map[string][]demo.Spell{"a": test.spells}, test.incidents, test.doubts); !test.want(c) {
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
	r, err := demo.NewRoad(t.Context(), func() (net.Conn, error) { return dialer.DialContext(t.Context(), "tcp", far.Addr().String()) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = far.Close(); r.End() })
	say := func(text string) {
		c, err := dialer.DialContext(t.Context(), "tcp", r.ListenAddress())
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
	r.StallAll()
	say("two")
	select {
	case got := <-arrived:
		t.Errorf("%q has arrived while all is held", got)
	default:
	}
	r.RepairRoad(false)
	if got := <-arrived; got != "two" {
		t.Errorf("%q has arrived", got)
	}
	r.CutAll()
	say("three")
	r.RepairRoad(true)
	say("four")
	if got := <-arrived; got != "four" {
		t.Errorf("%q has arrived", got)
	}
}
