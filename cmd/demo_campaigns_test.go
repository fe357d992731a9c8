package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/demo"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A bot is killed again and again while it runs campaigns, also between the two calls of renewals: the platform finds nothing wrong.
func TestDemoOfCampaigns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	var out bytes.Buffer
	p := child.Start(t, child.Command{
		As: "nectar", Args: []string{"demo", "--campaigns=10", "--for", "3s", "--kills", "4", "--encrypt", "--json"}, Env: os.Environ(), Stdout: &out,
	})
	status := p.End()
	var said demo.Report
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || status != 0 || said.Campaigns == nil {
		t.Fatalf("%v, status %d\n%s", err, status, p)
	}
	r := said.Campaigns
	if !said.OK || !r.OK || r.Slots != 10 || r.Kills != 4 || said.Kills != 4 || r.Published+r.Empty != r.Slots {
		t.Errorf("the verdict: %s", &out)
	}
	if r.Renewed == 0 || r.Approved == 0 || r.Withheld == 0 || r.Between == 0 {
		t.Errorf("it shows nothing: %s", &out)
	}
}

// What campaigns of a demo cannot be played with is refused in a line.
func TestDemoOfCampaignsRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--campaigns=1001"},
		{"--campaigns=-1"},
		{"--campaigns", "--for", "2h"},
		{"--campaigns", "--bare"},
		{"--campaigns", "--in-process"},
		{"--campaigns", "--faults", "much"},
	} {
		r := nectar(t, append([]string{"demo"}, args...)...)
		if r.status != 2 || strings.Count(strings.TrimSpace(r.stderr), "\n") > 2 || r.stdout != "" {
			t.Errorf("%q: %d %s", args, r.status, r.stderr)
		}
	}
}

// The judge of the demo's campaigns sees each thing that may not be, in the platform's ledger alone.
func TestDemoJudge(t *testing.T) {
	t.Parallel()
	const account, post = platform.UserID(7), platform.PostID(70)
	first := time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC)
	at := func(s float64) time.Time { return first.Add(time.Duration(s * float64(time.Second))) }
	for name, test := range map[string]struct {
		kind     int
		did      string    // + for a repost, - for what takes it back
		at       []float64 // when, in seconds after the first of three slots
		approved []float64 // slots, in seconds after the first; given half a minute before
		want     demo.ShopReport
	}{
		"as planned":               {demo.ShopReposts, "+", []float64{0.3}, nil, demo.ShopReport{Published: 1}},
		"as late as may be":        {demo.ShopReposts, "+", []float64{121}, nil, demo.ShopReport{Published: 1}},
		"nothing":                  {demo.ShopReposts, "", nil, nil, demo.ShopReport{}},
		"early":                    {demo.ShopReposts, "+", []float64{-0.5}, nil, demo.ShopReport{Published: 1, Late: 1}},
		"late":                     {demo.ShopReposts, "+", []float64{130}, nil, demo.ShopReport{Published: 1, Late: 1}},
		"taken back":               {demo.ShopReposts, "+-", []float64{1, 2}, nil, demo.ShopReport{Published: 1, Lost: 1, Doubled: 1}},
		"twice":                    {demo.ShopReposts, "+-+", []float64{1, 2, 3}, nil, demo.ShopReport{Published: 2, Renewed: 1, Doubled: 2, Twice: 1}},
		"approved":                 {demo.ShopAsks, "+", []float64{1}, []float64{0}, demo.ShopReport{Published: 1}},
		"approved by nobody":       {demo.ShopAsks, "+", []float64{1}, nil, demo.ShopReport{Published: 1, Unapproved: 1}},
		"approved for another":     {demo.ShopAsks, "+", []float64{1}, []float64{60}, demo.ShopReport{Published: 1, Unapproved: 1}},
		"renewed":                  {demo.ShopRenews, "-+-+-+", []float64{0, 7, 67, 68, 128, 129}, []float64{0}, demo.ShopReport{Published: 3, Renewed: 3}},
		"the first unapproved":     {demo.ShopRenews, "-+-+", []float64{0, 1, 61, 62}, []float64{60}, demo.ShopReport{Published: 2, Renewed: 2, Unapproved: 1}},
		"each approved":            {demo.ShopRenewals, "-+-+", []float64{0, 1, 61, 62}, []float64{0, 60}, demo.ShopReport{Published: 2, Renewed: 2}},
		"one approved":             {demo.ShopRenewals, "-+-+", []float64{0, 1, 61, 62}, []float64{60}, demo.ShopReport{Published: 2, Renewed: 2, Unapproved: 1}},
		"lost after an undo":       {demo.ShopRenews, "-+-", []float64{0, 1, 61}, []float64{0}, demo.ShopReport{Published: 1, Renewed: 1, Lost: 1}},
		"late, but owed":           {demo.ShopRenews, "-+", []float64{119, 400}, []float64{0}, demo.ShopReport{Published: 1, Renewed: 1}},
		"begun late":               {demo.ShopRenews, "-+", []float64{250, 251}, []float64{120}, demo.ShopReport{Published: 1, Renewed: 1, Late: 1, Unapproved: 1}},
		"a slot twice":             {demo.ShopRenews, "-+-+-+-+", []float64{0, 1, 61, 62, 122, 123, 183, 184}, []float64{0}, demo.ShopReport{Published: 4, Renewed: 4, Twice: 1}},
		"doubled within a moment":  {demo.ShopRenews, "-+-+", []float64{0, 1, 3, 4}, []float64{0}, demo.ShopReport{Published: 2, Renewed: 2, Doubled: 1, Late: 0, Twice: 1}},
		"too soon after what came": {demo.ShopRenews, "-+-+", []float64{0, 9, 60, 61}, []float64{0}, demo.ShopReport{Published: 2, Renewed: 2, Doubled: 1}},
	} {
		var entries []emulator.Entry
		for i, what := range test.did {
			kind := map[rune]emulator.EntryKind{'+': emulator.Reposted, '-': emulator.Unreposted}[what]
			entries = append(entries, emulator.Entry{At: at(test.at[i]), Kind: kind, ByAPI: true, From: account, Post: post})
		}
		var given []demo.Approval
		for _, s := range test.approved {
			given = append(given, demo.Approval{Post: post, Given: at(s - 30), Until: at(s).Add(demo.Tolerance)})
		}
		c := demo.Campaign{ID: "it", Kind: test.kind, First: first, Slots: 3, Posts: []platform.PostID{post, 71, 72}}
		var r demo.ShopReport
		r.JudgePost(&c, 0, demo.ReadShops(entries).DoneWith(account, post), given)
		r.Details, r.Longest = nil, 0
		if got, want := counts(&r), counts(&test.want); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// counts writes a verdict down.
func counts(r *demo.ShopReport) string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// What two campaigns of one account publish is too close, too.
func TestDemoJudgeOfDistances(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC)
	for apart, want := range map[time.Duration]int{time.Minute: 0, 57 * time.Second: 0, 56 * time.Second: 1} {
		var r demo.ShopReport
		r.JudgeDistances("shop", []demo.Publication{{Left: at.Add(apart), Came: at.Add(apart)}, {Left: at.Add(-time.Minute), Came: at, Renewal: true}})
		if r.TooClose != want {
			t.Errorf("%v: %d", apart, r.TooClose)
		}
	}
}
