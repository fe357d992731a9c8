package simulate_test

// publishingParts are mutations of the limit of what is published.
func publishingParts() []mutation {
	const (
		counts = "^TestPublishingCountsWhenItLeaves$"
		close  = "^TestSlotsAsCloseAsTheyMay$"
	)
	return []mutation{
		{
			name: "publishing: a gap that nobody keeps", what: "the check says that posts of others do not come again within a day",
			at: "check-others-gap", do: never, by: in("handlers/rules", "^TestFindings$"),
		},
		{
			name: "publishing: a year too early", what: "the check says that all of a campaign is over",
			at: "check-over", do: never, by: in("handlers/rules", "^TestFindings$"),
		},
		{
			name: "publishing: why contradicts itself", what: "why does not say that nobody knows what it says below",
			at: "why-slot-ended", do: never, by: in("cmd", "^TestCampaignsBesideTheBot$"),
		},
		{
			name: "publishing: links to two hosts", what: "the check says that links name different hosts",
			at: "check-hosts", do: never, by: in("handlers/rules", "^TestFindings$"),
		},
		{
			name: "publishing: a picture that nobody sees", what: "the check refuses by name what is not run",
			at: "check-not-run", do: never, by: in("handlers/rules", "^TestFindings$"),
		},
		{
			name: "publishing: nobody comes first", what: "rules publish what slots leave them",
			at: "publishing-beside", do: always, by: in("bot", "^TestSomeComeFirst$"),
		},
		{
			name: "publishing: what waits takes what is kept", what: "slots come, also when something leaves later than it was decided for",
			at: "publishing-keep", do: never, by: in("bot", "^TestSomeComeFirst$"),
		},
		{
			name: "publishing: slots keep for themselves", what: "slots have what is kept for them",
			at: "publishing-first", do: without(2, 2), by: in("bot", "^TestSomeComeFirst$"),
		},
		{
			name: "publishing: rules have all", what: "rules publish what is written for them at most",
			at: "publishing-others", do: drop, by: in("plugins/campaigns", "^TestSlotsAreKept$"),
		},
		{
			name: "publishing: a pause keeps nothing", what: "what is kept follows what becomes of slots, over a start, too",
			at: "publishing-at-start", do: swap("p.cfg.Store != nil", "false"), by: in("plugins/campaigns", "^TestWhatIsKept$"),
		},
		{
			name: "publishing: nothing is counted", what: "what is published has one limit",
			at: "publishing-limit-use", do: never, by: in("bot", counts),
		},
		{
			name: "publishing: it counts when it is decided", what: "what is decided ahead counts when it leaves",
			at: "publishing-at", do: never, by: in("bot", counts),
		},
		{
			name: "publishing: what is to come later counts for nothing", what: "no time has more than the limit, also one that ends later",
			at: "publishing-around", do: never, by: in("bot", counts),
		},
		{
			name: "publishing: what was so already counts", what: "what was not published is given back",
			at: "publishing-idle", do: drop, by: in("bot", "^TestWhatIsNotPublished$"),
		},
		{
			name: "publishing: a start forgets what left", what: "distances from what left in an earlier incarnation",
			at: "publishing-restore", do: swap("all", "all[:0]"), by: in("bot/internal/outbox", "^TestPublishingWaits$"),
		},
		{
			name: "publishing: a clock that was ahead", what: "what left by a later clock has left before",
			at: "publishing-ahead", do: swap("now.Add(-max(0, now.Sub(at)))", "at"), by: in("bot/internal/outbox", "^TestPublishedByALaterClock$"),
		},
		{
			name: "publishing: what is in doubt has not left", what: "distances from what may have left",
			at: "publishing-in-doubt", do: drop, by: in("bot/internal/outbox", "^TestPublishing"),
		},
		{
			name: "publishing: nothing is kept apart", what: "distances between publications",
			at: "publishing-apart", do: never, by: in("bot/internal/outbox", "^TestPublishingWaits$"),
		},
		{
			name: "publishing: nobody counts what leaves", what: "the count by what has really left",
			at: "publishing-count", do: drop, by: in("bot/internal/outbox", "^TestPublishing"),
		},
		{
			name: "publishing: campaigns without a limit", what: "an account that has campaigns has its limit",
			at: "publishing-nobody", do: never, by: in("plugins/campaigns", "^TestCampaignsBringTheirLimit$"),
		},
		{
			name: "publishing: a campaign counts twice", what: "what campaigns publish is nobody else's",
			at: "publishing-own", do: without(1, 2), by: in("plugins/campaigns", close),
		},
		{
			name: "publishing: what is read again counts again", what: "what is published elsewhere counts once",
			at: "publishing-once", do: drop, by: in("handlers/campaigns", "^TestOutside$"),
		},
		{
			name: "publishing: what may still change is reconciled", what: "what waits is read again",
			at: "publishing-upto", do: drop, by: in("handlers/campaigns", "^TestOutside$"),
		},
		{
			name: "publishing: a moment makes it too close", what: "what leaves a moment after its minute counts at its minute",
			at: "publishing-in-time", do: drop, by: in("plugins/campaigns", close),
		},
		{
			name: "publishing: a moment makes it too much", what: "what comes as soon as it may is not denied",
			at: "publishing-moment", do: swap("min(time.Minute, p.Within/20)", "0"), by: in("plugins/campaigns", close),
		},
	}
}
