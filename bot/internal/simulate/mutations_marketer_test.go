package simulate_test

// marketerParts are mutations of what campaigns do at a slot, which the marketer has found.
func marketerParts() []mutation {
	return append([]mutation{
		{
			name: "marketer: approved is enough", what: "what is approved leaves when its slot has been decided, and not before",
			at: "slots-decided-first", do: swap("v.Until", "v.At"), by: in("plugins/campaigns", "^TestApprovedAndDecided$"),
		},
		{
			name: "marketer: a disk that takes nothing ends a start", what: "a bot starts when the disk takes nothing for a moment",
			at: "until-start-lasts", do: begin("return err"), by: in("bot/internal/outbox", "^TestUntilAndADiskThatRefuses$"),
		},
	}, propertyParts()...)
}

// propertyParts are faults that the marketer herself notices, in whole histories with edits, pauses, phones, outages and kills.
func propertyParts() []mutation {
	all := []mutation{
		{
			name: "nothing is stored before a renewal", what: "a crash behind the call that takes a repost back",
			at: "renew-begins", do: swap("a.storeStep(ctx, d, takingBack)", "true"),
		},
		{
			name: "release at once", what: "what is approved leaves at its slot",
			at: "slots-decided-first", do: swap("v.Until", "t.Now"),
		},
		{
			name: "jitter from a generator", what: "the plan shows the real minute",
			at: "slots-jitter", do: swap("draw", "(draw + uint64(time.Now().UnixNano()>>10))"),
		},
		{
			name: "no latest departure", what: "what is too late does not leave",
			at: "slots-latest", do: swap("v.Until", "v.Until.Add(time.Hour)"),
		},
		{name: "posts are kept by line", what: "a post comes as often as it is to, wherever it stands", at: "slots-by-post", do: without(2, 2)},
		{name: "a new clock is a new slot", what: "what has happened is not there a second time", at: "slots-pair", do: never},
		{name: "what moved comes again", what: "what has happened is not there a second time", at: "slots-moved", do: never},
		{name: "no gap", what: "a post does not come again within its gap", at: "slots-gap", do: always},
		{name: "twice", what: "a slot is decided once", at: "slots-twice", do: never},
		{name: "an approval has no deadline", what: "what nobody approved in time does not come", at: "slots-deadline", do: always},
		{
			name: "the first renewal is live", what: "a renewal is asked for until one was seen to lift a post",
			at: "slots-first-renewal", do: without(2, 2),
		},
		{name: "the plan forgets", what: "the plan is every decision after the one before", at: "slots-fold", do: drop},
		{name: "an edit takes what is open", what: "what was not decided is still to be", at: "slots-open", do: never},
	}
	for i := range all {
		all[i].name, all[i].by = "marketer alone: "+all[i].name, among("marketer")
	}
	return append(all, mutation{
		name: "wisher alone: what is taken back comes again", what: "a post whose repost was taken back stays out until it is allowed",
		at: "asks-undone", do: drop, by: among("wisher"),
	}, mutation{
		name: "marketer: what is not read says nothing", what: "a reading that fails does not make the platform one that tells nothing",
		at: "reading-silent", do: without(2, 2), by: in("plugins/campaigns", "^TestRenewalAfterAReadingThatFails$"),
	})
}
