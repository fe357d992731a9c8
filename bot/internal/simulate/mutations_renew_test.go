package simulate_test

// renewParts are mutations of renewals.
func renewParts() []mutation {
	return []mutation{
		{
			name: "renew: nothing is stored before it begins", what: "a crash behind the call that takes a repost back",
			at: "renew-begins", do: swap("a.storeStep(ctx, d, takingBack)", "true"), by: in("bot/internal/outbox", "^TestRenewal$"),
		},
		{
			name: "renew: no note between the calls", what: "what was taken back is stored before it is made again",
			at: "renew-undone", do: swap("a.storeStep(ctx, d, takenBack)", "func() bool { d.ReconcileFrom = time.Now().UnixMicro(); return true }()"), by: among("dated"),
		},
		{
			name: "renew: a call under way is over", what: "an undo that arrives late",
			at: "renew-late", do: swap("time.Until(late)", "0*time.Until(late)"), by: in("bot/internal/outbox", "^TestRenewal$"),
		},
		{
			name: "renew: a pause stops what is owed", what: "what was taken back is made again, also in a pause",
			at: "halted", do: without(2, 2), by: in("bot", "^TestRenewalInAPause$"),
		},
		{
			name: "renew: nobody is told", what: "a post that cannot be reposted any more is told of",
			at: "renew-told", do: drop, by: in("bot", "^TestRenewalThatCannotEnd$"),
		},
	}
}
