package campaigns_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// Publications are read as they were written, whatever lies between them, and most of them are a number.
func TestTimesAreKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", rapid.SampledFrom([]int{0, -4 * 3600}).Draw(t, "zone"))
		at := time.Date(2027, time.March, 13, 12, 0, 0, 0, zone)
		var m campaigns.Memory
		var u campaigns.Uses
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int64{0, 1, 1e3, 1e9, 1800e9, -60e9, 1e9 + 1, 90e6, 200 * 365 * 24 * 3600e9}).Draw(t, "step")))
			m.Recent = append(m.Recent, at)
			u.Published = append(u.Published, campaigns.Published{
				At: at, Apart: rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "apart"), Of: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "of"),
				Late: rapid.Bool().Draw(t, "late"), Hand: rapid.Bool().Draw(t, "hand"),
			})
		}
		var m2 campaigns.Memory
		var u2 campaigns.Uses
		again(t, m, &m2)
		again(t, u, &u2)
		if diff := cmp.Diff(m, m2, cmpopts.EquateEmpty()) + cmp.Diff(u, u2, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
	noon := time.Date(2027, time.March, 13, 12, 0, 0, 0, time.UTC)
	for want, value := range map[string]any{
		`["2027-03-13T12:00:00Z",1800,0]`: campaigns.Times{noon, noon.Add(30 * time.Minute), noon.Add(30 * time.Minute)},
		`[{"at":"2027-03-13T12:00:00Z"},60,{"at":"2027-03-13T12:02:00Z","apart":60000000000}]`: campaigns.Publications{
			{At: noon}, {At: noon.Add(time.Minute)}, {At: noon.Add(2 * time.Minute), Apart: time.Minute},
		},
	} {
		if got, err := json.Marshal(value); err != nil || string(got) != want {
			t.Errorf("written is %s, %v, want %s", got, err, want)
		}
	}
}

// again reads what is written of a value.
func again(t *rapid.T, from, to any) {
	t.Helper()
	data, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
}

// What an older version has written is read, too, and what nobody has written is told of.
func TestTimesOfOlderVersions(t *testing.T) {
	t.Parallel()
	noon := time.Date(2027, time.March, 13, 12, 0, 0, 0, time.UTC)
	var u campaigns.Uses
	var m campaigns.Memory
	if err := json.Unmarshal([]byte(`{"published":[{"at":"2027-03-13T12:00:00Z","apart":60000000000},{"at":"2027-03-13T12:30:00Z","of":"x"}]}`), &u); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"recent":["2027-03-13T12:00:00Z","2027-03-13T12:30:00Z"]}`), &m); err != nil {
		t.Fatal(err)
	}
	later := noon.Add(30 * time.Minute)
	want := campaigns.Publications{{At: noon, Apart: time.Minute}, {At: later, Of: "x"}}
	if diff := cmp.Diff(want, u.Published) + cmp.Diff(campaigns.Times{noon, later}, m.Recent); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{`[1]`, `["2027-03-13T12:00:00Z",1.5]`, `["2027-03-13T12:00:00Z",9223372036854775807]`, `["noon"]`, `{}`} {
		if err := json.Unmarshal([]byte(wrong), &campaigns.Times{}); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}
