package simulate_test

// workers notices within 200 seeds.
var workers = proof{"bot/internal/simulate", "^TestWorkers$", []string{"-seeds", "200", "-shrink=false"}}

// workerParts are mutations of how workers share accounts; their simulator notices each.
func workerParts() []mutation {
	return []mutation{
		{
			name: "workers: no fence", what: "whoever was taken over stores nothing",
			at: "memory-fence", do: never, by: workers,
		},
		{
			name: "workers: a fence without a lock", what: "nobody stores anything after the look at who may",
			at: "memory-storing", do: never, by: workers,
		},
		{
			name: "workers: takeover too early", what: "nobody acts for an account beside another worker",
			at: "term", do: swap("Term - p.still", "Term*3/4 - p.still"), by: workers,
		},
		{
			name: "workers: a lease counted from the answer", what: "a worker trusts its lease from before it asked for it",
			at: "lease-end", do: swap("sent", "max(sent, w.clock.Steady())"), by: workers,
		},
		{
			name: "workers: clocks on the wall", what: "clocks that are set decide nothing about who may act",
			at: "steady", do: swap("w.clock.Steady()", "time.Duration(w.clock.Wall().Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)))"), by: workers,
		},
		{
			name: "workers: unclear is failed", what: "what is stored although it was said to have failed is not lost",
			at: "find-out", do: never, by: workers,
		},
		{
			name: "workers: a bucket is full after a move", what: "a change of hands grants no burst",
			at: "inherit-pace", do: drop, by: workers,
		},
		{
			name: "workers: a dead worker has used up nothing", what: "a takeover grants no burst",
			at: "spent-unknown", do: never, by: workers,
		},
		{
			name: "workers: no guard", what: "nothing leaves after the lease",
			at: "guard-write", do: never, by: workers,
		},
		{
			name: "workers: stored after it was given away", what: "nobody takes an account up before all of its last term is stored",
			at: "term-stored", do: never, by: workers,
		},
		{
			name: "workers: what another one was sending is forgotten", what: "no action is lost in a takeover",
			at: "recover-open", do: drop, by: workers,
		},
		{
			name: "workers: what another one was sending is sent again", what: "nothing is sent twice after a takeover",
			at: "recover-in-doubt", do: swap("event.StateInDoubt", "event.StateSending"), by: workers,
		},
		{
			name: "workers: reconciled from when it left", what: "an action is sent again only when it cannot arrive any more",
			at: "gave-up-unknown", do: swap("c.Deadline", "-c.Grace"), by: workers,
		},
	}
}
