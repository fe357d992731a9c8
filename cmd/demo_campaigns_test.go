package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
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

// While a bot is killed, texts are corrected, slots are added, taken away and moved, and the clock is wrong: all comes as it is laid down.
func TestDemoOfChangedCampaigns(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	var out bytes.Buffer
	p := child.Start(t, child.Command{
		As: "nectar", Args: []string{"demo", "--campaigns=2", "--for", "92s", "--kills", "4", "--json"}, Env: os.Environ(), Stdout: &out,
	})
	status := p.End()
	var said demo.Report
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || status != 0 || said.Campaigns == nil {
		t.Fatalf("%v, status %d\n%s", err, status, p)
	}
	if r := said.Campaigns; !r.OK || r.Corrected+r.Edited+r.Moved+r.TooLate != 9 || r.Corrected*r.Edited*r.Moved == 0 || r.Clocks != 1 || r.Held == 0 {
		t.Errorf("the verdict: %s", &out)
	}
}

// The judge sees what may not come of a campaign that was changed, and what is missing.
func TestDemoJudgeOfChanges(t *testing.T) {
	t.Parallel()
	slot := time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC)
	at := func(s float64) time.Time { return slot.Add(time.Duration(s * float64(time.Second))) }
	said := func(all string) (list []demo.Coming) {
		for one := range strings.SplitSeq(all, ", ") {
			s, text, _ := strings.Cut(one, " ")
			if n, err := strconv.ParseFloat(s, 64); err == nil {
				list = append(list, demo.Coming{At: at(n), Text: text})
			}
		}
		return list
	}
	const comes = "0 here, 60 other"
	wrong := demo.WrongClock{From: at(-60), Until: at(-20)}
	for name, test := range map[string]struct {
		comes, came string  // in seconds after the slot
		changed     float64 // in seconds; it has to be a minute before the slot
		wrong       []demo.WrongClock
		want        string // doubled, unexpected, missing, too late
	}{
		"as laid down":                {comes, "0.2 here, 61 other", -90, nil, "0 0 0 0"},
		"as late as may be":           {comes, "122 here, 182 other", -90, nil, "0 0 0 0"},
		"nothing comes":               {comes, "", -90, nil, "0 0 2 0"},
		"nothing, by a wrong clock":   {comes, "", -90, []demo.WrongClock{wrong}, "0 0 1 0"},
		"nothing, and nothing was to": {"", "", -90, nil, "0 0 0 0"},
		"something, nothing was to":   {"", "1 here", -90, nil, "0 1 0 0"},
		"with the typo":               {comes, "1 hre, 61 other", -90, nil, "0 1 1 0"},
		"with the typo, and without":  {comes, "1 hre, 1 here, 61 other", -90, nil, "0 1 0 0"},
		"twice":                       {comes, "1 here, 61 here", -90, nil, "1 0 1 0"},
		"out of turn":                 {comes, "1 other, 61 here", -90, nil, "0 1 1 0"},
		"at the old minute":           {"60 other", "1 other", -90, nil, "0 1 1 0"},
		"changed too late":            {comes, "1 hre", -10, nil, "0 0 0 1"},
		"too late, and twice":         {comes, "1 hre, 61 hre", -10, nil, "1 0 0 1"},
	} {
		var r demo.ShopReport
		r.JudgeEdited(&demo.Edited{Comes: said(test.comes), Until: at(-61), Changed: at(test.changed)}, said(test.came), test.wrong)
		if got := fmt.Sprint(r.Doubled, r.Unexpected, r.Missing, r.TooLate); got != test.want {
			t.Errorf("%s: %s, want %s: %s", name, got, test.want, r.Details)
		}
	}
}

// Nothing may leave while the bot must know that the clock is wrong. It has to hear that twice, which takes a while, anew after each kill.
func TestDemoJudgeOfClocks(t *testing.T) {
	t.Parallel()
	from := time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC)
	at := func(s ...float64) (all []time.Time) {
		for _, s := range s {
			all = append(all, from.Add(time.Duration(s*float64(time.Second))))
		}
		return all
	}
	for name, test := range map[string]struct {
		cold        bool
		kills, left []float64
		want        int
	}{
		"before, and after":           {false, nil, []float64{-1, 121}, 0},
		"not known yet":               {false, nil, []float64{20}, 0},
		"known":                       {false, nil, []float64{30, 119}, 2},
		"killed before it knew":       {false, []float64{10, 30}, []float64{50}, 0},
		"killed, and known":           {false, []float64{10, 30}, []float64{60}, 1},
		"killed when it was known":    {false, []float64{26}, []float64{30}, 1},
		"killed again and again":      {false, []float64{5, 20, 40, 60, 80, 100}, []float64{90, 101}, 1},
		"from before the bot started": {true, []float64{5}, []float64{1}, 1},
	} {
		var r demo.ShopReport
		r.JudgeClock([]demo.WrongClock{{From: from, Until: at(120)[0], Cold: test.cold}}, at(test.kills...), nil, at(test.left...))
		if r.WhileWrong != test.want || r.Clocks != 1 {
			t.Errorf("%s: %d", name, r.WhileWrong)
		}
	}
}

// A slot in which nothing comes has to have a reason that the platform, or the person, knows.
func TestDemoJudgeOfMissing(t *testing.T) {
	t.Parallel()
	const post = platform.PostID(70)
	first := time.Date(2027, time.March, 16, 9, 30, 0, 0, time.UTC)
	at := func(s float64) time.Time { return first.Add(time.Duration(s * float64(time.Second))) }
	for name, test := range map[string]struct {
		kind     int
		left     []float64
		approved []float64 // slots
		wrong    []demo.WrongClock
		want     int
	}{
		"all come":                        {demo.ShopRenews, []float64{0, 60, 120}, []float64{0}, nil, 0},
		"two are missing":                 {demo.ShopRenews, []float64{1}, []float64{0}, nil, 2},
		"nobody has approved the first":   {demo.ShopRenews, nil, nil, nil, 0},
		"somebody has, and none comes":    {demo.ShopRenews, nil, []float64{60}, nil, 1},
		"each needs it, and two have it":  {demo.ShopRenewals, []float64{1}, []float64{0, 60}, nil, 1},
		"late, so that the next is":       {demo.ShopRenews, []float64{100, 160}, []float64{0}, nil, 0},
		"a repost":                        {demo.ShopReposts, nil, nil, nil, 1},
		"a repost while the clock":        {demo.ShopReposts, nil, nil, []demo.WrongClock{{From: at(-50), Until: at(-10)}}, 0},
		"a repost long after a wrong one": {demo.ShopReposts, nil, nil, []demo.WrongClock{{From: at(-300), Until: at(-200)}}, 1},
		"a repost while it was, cold":     {demo.ShopReposts, nil, nil, []demo.WrongClock{{From: at(-50), Until: at(50), Cold: true}}, 1},
	} {
		c := demo.Campaign{ID: "it", Kind: test.kind, First: first, Slots: 3, Posts: []platform.PostID{post, 71, 72}}
		var came []demo.Publication
		for _, s := range test.left {
			came = append(came, demo.Publication{Left: at(s), Came: at(s)})
		}
		var given []demo.Approval
		for _, s := range test.approved {
			given = append(given, demo.Approval{Post: post, Given: at(s - 30), Until: at(s).Add(demo.Tolerance)})
		}
		var r demo.ShopReport
		if r.JudgeMissing(&c, 0, came, given, test.wrong); r.Missing != test.want {
			t.Errorf("%s: %d, want %d: %s", name, r.Missing, test.want, r.Details)
		}
	}
}
