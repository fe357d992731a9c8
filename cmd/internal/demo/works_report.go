package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// worksReport is what a demo of workers has to tell besides.
type worksReport struct {
	Workers   int `json:"workers"`
	Accounts  int `json:"accounts"`
	Freezes   int `json:"freezes"`
	Cuts      int `json:"cuts"`
	Restarts  int `json:"restarts"`
	Fills     int `json:"full_disks"`
	Failovers int `json:"failovers"`
	Deploys   int `json:"deploys"`
	Ended     int `json:"ended_by_themselves"` // workers that were started again without having been killed

	AfterKill   spread `json:"taken_over_after_kill"`
	AfterFreeze spread `json:"taken_over_after_freeze"`
	AfterCut    spread `json:"taken_over_after_cut"`
	Clear       spread `json:"taken_over_beside_no_other_incident"`
	Longest     string `json:"taken_over_longest,omitempty"`
	InFreeze    spread `json:"alone_in_freeze"`
	InCut       spread `json:"alone_in_cut"`
	InBlock     spread `json:"alone_in_cut_from_platform"`
	InRestart   spread `json:"alone_in_restart"`
	InFill      spread `json:"alone_in_full_disk"`
	InFailover  spread `json:"alone_in_failover"`
	HandedOver  spread `json:"handed_over_in"`

	Doubts     int `json:"actions_in_doubt_by_hand_overs"`
	Trespasses int `json:"writes_to_shards_of_others"`

	CPUPerReply         float64 `json:"workers_cpu_us_per_reply"`
	DatabaseCPUSeconds  float64 `json:"database_cpu_seconds"`
	DatabaseCPUPerReply float64 `json:"database_cpu_us_per_reply"`
}

// spread is how some times are spread.
type spread struct {
	Accounts int     `json:"accounts"` // as often as each was affected
	MedianMs float64 `json:"median_ms"`
	WorstMs  float64 `json:"worst_ms"`
}

func spreadOf(all []time.Duration) spread {
	if len(all) == 0 {
		return spread{}
	}
	slices.Sort(all)
	return spread{len(all), toMillis(all[(len(all)-1)/2]), toMillis(all[len(all)-1])}
}

// takeCare takes what was found out about how accounts were looked after.
func (r *worksReport) takeCare(c *Care) {
	for to, from := range map[*spread][]time.Duration{
		&r.AfterKill: c.Taken[ByKill], &r.AfterFreeze: c.Taken[ByFreeze], &r.AfterCut: slices.Concat(c.Taken[ByCut], c.Taken[ByBlock]), &r.Clear: c.Clear,
		&r.InFreeze: c.Alone[ByFreeze], &r.InCut: c.Alone[ByCut], &r.InBlock: c.Alone[ByBlock], &r.InRestart: c.Alone[ByRestart],
		&r.InFill: c.Alone[byFill], &r.InFailover: c.Alone[byFailover], &r.HandedOver: c.Handed,
	} {
		*to = spreadOf(from)
	}
	r.Doubts, r.Longest = c.Doubts, c.longest
}

// takeCosts takes what all of it has used.
func (r *worksReport) takeCosts(workers, database time.Duration, replies int) {
	r.DatabaseCPUSeconds = database.Seconds()
	if replies > 0 {
		r.CPUPerReply = float64(workers.Microseconds()) / float64(replies)
		r.DatabaseCPUPerReply = float64(database.Microseconds()) / float64(replies)
	}
}

// print writes it for people, below the rest.
func (r *worksReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "  %d workers on one PostgreSQL, %d accounts: %d freezes, %d cuts, %d restarts of the database, %d full disks, %d failovers, %d deploys; %d workers ended by themselves\n",
		r.Workers, r.Accounts, r.Freezes, r.Cuts, r.Restarts, r.Fills, r.Failovers, r.Deploys, r.Ended)
	for _, line := range []struct {
		what string
		is   spread
	}{
		{"from a kill to the first request of another worker", r.AfterKill},
		{"from a freeze to that", r.AfterFreeze},
		{"from a cut from the database to that", r.AfterCut},
		{"of all these, those beside which no other incident went on", r.Clear},
		{"left alone in freezes shorter than a lease", r.InFreeze},
		{"left alone in such cuts from the database", r.InCut},
		{"left alone in cuts from the platform", r.InBlock},
		{"left alone in restarts of the database", r.InRestart},
		{"left alone while its disk was full", r.InFill},
		{"left alone in failovers of the database", r.InFailover},
		{"handed over, from the last request of one worker to the first of the other", r.HandedOver},
	} {
		if line.is.Accounts > 0 {
			fmt.Fprintf(b, "  %s: %.1f s (median), %.1f s at most, of %d\n", line.what, line.is.MedianMs/1000, line.is.WorstMs/1000, line.is.Accounts)
		}
	}
	if r.Longest != "" {
		fmt.Fprintf(b, "  longest to be taken over: %s\n", r.Longest)
	}
	fmt.Fprintf(b, "  %d actions in doubt by hand-overs; %d writes to shards of others\n", r.Doubts, r.Trespasses)
	fmt.Fprintf(b, "  per reply %.0f µs of CPU of the workers and %.0f µs of the database\n", r.CPUPerReply, r.DatabaseCPUPerReply)
}
