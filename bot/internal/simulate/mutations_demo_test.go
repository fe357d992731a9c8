package simulate_test

// demoParts are faults that the verdict of nectar demo --campaigns shows.
func demoParts() []mutation {
	all := []mutation{
		{
			name: "nothing is stored before a renewal", what: "a post that was taken back by a bot that was killed then is reposted",
			at: "renew-begins", do: swap("a.storeStep(ctx, d, takingBack)", "true"),
		},
		{
			name: "release at once", what: "what is approved leaves at its slot",
			at: "slots-decided-first", do: swap("v.Until", "t.Now"),
		},
		{
			name: "the first renewal is live", what: "a renewal is asked for until one was seen to lift a post",
			at: "slots-first-renewal", do: without(2, 2),
		},
	}
	for i := range all {
		all[i].name, all[i].by = "demo: "+all[i].name, in("cmd", "^TestDemoOfCampaigns$")
	}
	return all
}
