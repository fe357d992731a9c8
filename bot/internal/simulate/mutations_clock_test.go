package simulate_test

// clockParts are mutations of what becomes of what a clock that was ahead has set, when it is set back.
func clockParts() []mutation {
	return []mutation{
		{
			name: "clock: slots go by a wrong one", what: "by a wrong clock no slot is decided or missed",
			at: "clock-holds", do: never, by: in("plugins/campaigns", "^TestWrongClock$"),
		},
		{
			name: "clock: one odd answer holds slots", what: "a difference counts when it was heard twice",
			at: "clock-twice", do: never, by: in("plugins/campaigns", "^TestClockThatIsRight$"),
		},
		{
			name: "clock: it is allowed for good", what: "what was allowed ends when the difference changes",
			at: "clock-allowed", do: swap("(ahead-is.Ahead).Abs() <= clockMoves", "true"), by: in("plugins/campaigns", "^TestClockAllowed$"),
		},
		{
			name: "clock: the first answer is not heard", what: "an account's first slots wait no longer than until the platform has answered",
			at: "first-start", do: without(2, 2), by: in("plugins/campaigns", "^TestFirstStartSeesTheFirstAnswer$"),
		},
		{
			name: "clock: that it was set is not seen", what: "after the clock was set nothing is decided before an answer has come",
			at: "clock-set", do: swap("w.setLocked(now).Abs() < clockAgree", "true"), by: in("bot", "^TestClockThatWasSet$"),
		},
		{
			name: "clock: what was set stays where it is", what: "what waits for a while waits for no longer than that after a clock was ahead",
			at: "pull-in", do: drop, by: in("bot", "^TestClockSetBackBeside$"),
		},
		{
			name: "clock: it is set back at a start alone", what: "a clock that is set back beside the bot",
			at: "set-back-look", do: swap("back > setBackSlack", "back < 0"), by: in("bot", "^TestClockSetBackBeside$"),
		},
		{
			name: "clock: a flow counts from the later time", what: "a flow waits no longer than its timeout",
			at: "pull-in-flow", do: never, by: in("bot", "^TestFlowOfALaterClock$"),
		},
		{
			name: "clock: quiet hours are a while", what: "what quiet hours hold leaves after them",
			at: "pull-in-quiet", do: always, by: in("plugins/autoresponder", "^TestRulesAfterALaterClock$"),
		},
		{
			name: "clock: nobody is answered before who was", what: "who writes after a clock was set back is answered in time",
			at: "pull-in-order", do: never, by: in("plugins/autoresponder", "^TestRulesAfterALaterClock$"),
		},
		{
			name: "clock: who answers now has answered before", what: "nobody is reminded of what was answered",
			at: "pull-in-since", do: never, by: in("plugins/autoresponder", "^TestRulesAfterALaterClock$"),
		},
		{
			name: "clock: it is as old as the last poll", what: "what was said at the end of an outage is answered",
			at: "said-at", do: never, by: in("bot", "^TestSaidMomentsBeforeTheEndOfAnOutage$"),
		},
		{
			name: "clock: it is younger than when it was seen", what: "what the platform tells counts between two polls",
			at: "said-seen", do: never, by: in("bot/event", "^TestAgeAsThePlatformTellsIt$"),
		},
		{
			name: "clock: a poll of the future was one", what: "what came since the clock was set back is no loss",
			at: "audit-ahead", do: never, by: in("bot/audit", "^TestAfterAClockThatWasAhead$"),
		},
		{
			name: "clock: a poll of the future was a moment ago", what: "the doctor says that the clock was ahead",
			at: "doctor-ahead", do: swap("time.Until(last) > clockTolerance", "false"), by: in("cmd", "^TestDoctorAfterAClockThatWasAhead$"),
		},
	}
}
