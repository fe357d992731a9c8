package simulate_test

// among is the simulator with a workload in every run, who notices within 300 seeds.
func among(workload string) proof {
	return proof{"bot/internal/simulate", "^TestSeeds$", []string{"-workload", workload, "-seeds", "300", "-shrink=false"}}
}

// visitorParts are mutations that break what the four people have nothing to do with; a workload notices each.
func visitorParts() []mutation {
	return []mutation{
		{
			name: "workloads: a deletion does not wait", what: "what is deleted before it is reconciled is not made again",
			at: "deletion-waits", do: without(1, 2), by: among("deleter"),
		},
		{
			name: "workloads: a deletion leaves before what was found is stored", what: "what was deleted is not made again after a crash",
			at: "found-stored", do: always, by: in("bot/internal/outbox", "^TestCrashBehindADeletion$"),
		},
		{
			name: "workloads: an edited text is forgotten", what: "what people decide about what is held",
			at: "edited-text", do: drop, by: among("decider"),
		},
		{
			name: "workloads: a retry is not tried", what: "quarantined events are tried again",
			at: "retry", do: drop, by: among("decider"),
		},
		{
			name: "workloads: whoever refused a message once is not answered", what: "who comes back is answered",
			at: "reachable", do: swap("event.KindMessage", "event.KindFollow"), by: among("quitter"),
		},
		{
			name: "workloads: texts are compared as they were sent", what: "texts that the platform trims and escapes",
			at: "fold", do: drop, by: among("rewriter"),
		},
		{
			name: "workloads: a changed text is not there", what: "texts that the platform changes",
			at: "becomes", do: operand(2, 2, each(without(2, 3), without(3, 3))), by: among("rewriter"),
		},
	}
}
