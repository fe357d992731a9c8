package simulate_test

// untilParts are mutations of latest departures.
func untilParts() []mutation {
	return []mutation{
		{
			name: "until: nobody looks before a request leaves", what: "the last look before a request leaves",
			at: "until-leave", do: never, by: in("bot/internal/outbox", "^TestUntilAtTheLastLook$"),
		},
		{
			name: "until: what is in doubt is sent again", what: "what did not arrive in time is not sent again",
			at: "until-again", do: replace("ChangeState(&d.Action, event.StateSending); d.owed = true"), by: among("dated"),
		},
		{
			name: "until: what is due leaves", what: "what is too late takes no token, and is withdrawn whatever keeps it",
			at: "until-lapse", do: always, by: in("bot/internal/outbox", "^TestUntil"),
		},
		{
			name: "until: nobody looks at a start", what: "what is too late takes no token of what is in time",
			at: "until-start", do: swap("a.lapseAll(ctx)", "time.Now(), error(nil)"), by: in("bot/internal/outbox", "^TestUntilAndPace$"),
		},
		{
			name: "until: what it undid stays so", what: "a call that puts right what one has undone",
			at: "until-owed", do: drop, by: in("bot/internal/outbox", "^TestUntilAndTheOwner$"),
		},
		{
			name: "until: it takes another wish's place", what: "a wish that never leaves takes no other one's place",
			at: "until-overtaken", do: without(2, 2), by: in("bot/internal/outbox", "^TestUntilOfALaterWish$"),
		},
		{
			name: "until: whoever gives up stays the one who finds out", what: "another call finds out whether the platform is back",
			at: "until-probe", do: never, by: in("bot/internal/outbox", "^TestUntilOfWhoeverFindsOut$"),
		},
		{
			name: "until: what waits is looked at later", what: "what waits for the platform is withdrawn at its time",
			at: "until-bounded", do: never, by: in("bot/internal/outbox", "^TestUntil$"),
		},
		{
			name: "until: what is held stays so", what: "what is held is withdrawn by itself",
			at: "until-held", do: reword("(state = 'due' OR left_at = 0", "(state = 'due' OR left_at < 0"), by: in("bot", "^TestHeldOverItsTime$"),
		},
		{
			name: "until: released at once", what: "an approval keeps the time",
			at: "until-keeps", do: swap("due", "t.Now"), by: among("dated"),
		},
		{
			name: "until: released after its time", what: "what is released too late comes to nothing as a whole",
			at: "until-release", do: never, by: in("bot", "^TestApprovedInTime$"),
		},
		{
			name: "until: it waits for an approval over its time", what: "what nobody approves before its time is withdrawn with all that waits with it",
			at: "until-awaits", do: never, by: in("bot", "^TestNobodyApprovesInTime$"),
		},
		{
			name: "until: what was decided a moment ago goes on", what: "a handler ends what the turn before it decided",
			at: "until-matters", do: never, by: in("bot", "^TestEndInTheMiddle$"),
		},
	}
}
