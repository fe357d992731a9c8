package simulate_test

// outboxParts are mutations that the tests of the outbox notice.
func outboxParts() []mutation {
	return []mutation{
		{
			name: "outbox: a second request left with the first", what: "a session that ends in the middle doubles no message",
			at: "gave-up", do: replace("d.gaveUp = left"), by: in("bot/internal/outbox", "^TestSecondRequestThatArrivesLate$"),
		},
		{
			name: "outbox: only messages are held", what: "a later twin of a held post",
			at: "keep-held", do: operand(1, 3, replace("action.Verb != event.VerbMessage")), by: in("bot/internal/outbox", "^TestTwinDecidedAfterAHeldOne$"),
		},
		{
			name: "outbox: only messages are taken up as held", what: "a later twin of a post that an earlier incarnation held",
			at: "select-held", do: reword("verb IN ('message', 'post')", "verb = 'message'"), by: in("bot/internal/store", "^TestSQLite"),
		},
		{
			name: "outbox: what a person decided about is forgotten", what: "a later twin of a held post that a person dropped or released",
			at: "stray", do: swap("x.Key", `""`), by: in("bot/internal/store", "^TestSQLite"),
		},
		{
			name: "outbox: strays are not taken up", what: "the same after a start",
			at: "take-up-held", do: drop, by: in("bot/internal/outbox", "^TestTwinOfWhatAPersonDecidedAbout$"),
		},
		{
			name: "outbox: a guess is the truth", what: "a twin of what a held one became",
			at: "guess", do: operand(2, 2, replace("d.Result == 0")), by: in("bot/internal/outbox", "^TestTwinOfWhatAHeldOneBecame$"),
		},
		{
			name: "outbox: a reply reconciles from what it answers alone", what: "a twin behind a held reply",
			at: "reply-low-water", do: swap("lowWater", "0"), by: in("bot/internal/outbox", "^TestReplyBehindAHeldOne$"),
		},
		{
			name: "outbox: what was held may be anything for ever", what: "a person who writes what was held is noticed",
			at: "held-upto", do: without(2, 3), by: in("bot/internal/outbox", "^TestWhatMayBeAHeldOne$"),
		},
		{
			name: "outbox: a later text is never what became of an earlier one", what: "texts that become twins",
			at: "missing-becomes", do: never, by: in("bot/internal/outbox", "^TestTextThatBecomesTheNext$"),
		},
		{
			name: "outbox: what was there before is found", what: "a twin that was there before",
			at: "match-above", do: inner(without(1, 2)), by: in("bot/internal/outbox", "^TestTwinThatWasThereBefore$"),
		},
		{
			name: "outbox: patience begins anew", what: "nothing holds back its conversation for ever",
			at: "patience", do: begin("d.waited = 0"), by: in("bot/internal/outbox", "^TestPatienceIsNotRenewed$"),
		},
		{
			name: "outbox: one denial is believed", what: "a session that ends at the wrong moment loses no action",
			at: "one-denial", do: swap("waited-d.allowed", "waited"), by: in("bot/internal/outbox", "^TestUnauthorizedAfterTroubles$"),
		},
		{
			name: "outbox: what left unread is found", what: "a twin that nobody could read before it left",
			at: "match-vague", do: without(2, 2), by: in("bot/internal/outbox", "^TestWhatLeavesUnread$"),
		},
		{
			name: "outbox: what is stuck has every token", what: "others go on while one action fails again and again",
			at: "fetch-queued", do: always, by: in("bot", "^TestPostsThatCannotBeReadDelayNobodyElse$"),
		},
		{
			name: "outbox: what has failed finds out first", what: "posts that cannot be read delay nobody else",
			at: "breaker-untried", do: never, by: in("bot", "^TestPostsThatCannotBeReadDelayNobodyElse$"),
		},
		{
			name: "outbox: what is in doubt has failed", what: "posts that cannot be read delay no answer that got lost",
			at: "breaker-in-doubt", do: swap("q.items[0].State != event.StateInDoubt", "true"), by: in("bot", "^TestPostsThatCannotBeReadDelayNoLostAnswer$"),
		},
		{
			name: "outbox: what fails alone stops all", what: "posts that cannot be read stop nobody else",
			at: "fails-alone", do: drop, by: in("bot", "^TestPostsThatCannotBeRead"),
		},
		{
			name: "outbox: what fails alone slows all down", what: "posts that cannot be read leave everybody's pace as it is",
			at: "fails-again", do: swap("q.failures == 1", "true"), by: in("bot", "^TestPostsThatCannotBeRead"),
		},
		{
			name: "outbox: customers go before strangers for ever", what: "nobody starves, however many are known",
			at: "known-turns", do: swap("!wasKnown", "true"), by: in("bot", "^TestNewcomersAndCustomersTakeTurns$"),
		},
		{
			name: "outbox: strangers go before customers", what: "invented people delay no customer",
			at: "known-turns", do: swap("!wasKnown", "false"), by: in("bot", "^TestNewcomers"),
		},
		{
			name: "outbox: who writes twice is known", what: "who asks again before the answer arrives stays a first contact",
			at: "known-before", do: drop, by: in("bot/internal/store", "^TestSQLite"),
		},
		{
			name: "outbox: each message makes somebody known", what: "who is known costs the same, however much was said to them",
			at: "known-first", do: never, by: in("bot/internal/store", "^TestOneRowTellsWhoIsKnown$"),
		},
		{
			name: "outbox: what goes back is of another kind", what: "a conversation keeps its order when it becomes known",
			at: "known-back", do: never, by: in("bot/internal/store", "^TestSQLite"),
		},
		{
			name: "outbox: what is released is of another kind", what: "a conversation keeps its order when it becomes known",
			at: "known-released", do: never, by: in("bot/internal/store", "^TestSQLite"),
		},
		{
			name: "outbox: a call on its way closes the breaker", what: "Retry-After holds for the whole account",
			at: "breaker-asked", do: never, by: in("bot/internal/outbox", "^TestRetryAfterOnTheWay$"),
		},
		{
			name: "outbox: who waits for a slot does not look again", what: "Retry-After holds for the whole account",
			at: "opened", do: never, by: in("bot/internal/outbox", "^TestRetryAfterOnTheWay$"),
		},
		{
			name: "outbox: a parked session counts as waiting", what: "nothing is held because nobody could ask",
			at: "breaker-unhealthy", do: swap("unreachable", "unreachable && false"), by: in("bot/internal/outbox", "^TestPatienceWaitsForTheSession$"),
		},
		{
			name: "outbox: priorities count again after a stop", what: "what was released leaves in that order",
			at: "put-back-due", do: unassign(1, 2), by: in("bot/internal/outbox", "^TestPrioritiesOverAStop$"),
		},
		{
			name: "outbox: an earlier wish cannot arrive any more", what: "the last wish wins, over a crash",
			at: "earlier-wish", do: never, by: in("bot/internal/outbox", "^TestEarlierWishThatArrivesLate$"),
		},
		{
			name: "outbox: a message is over before that is told", what: "the bot's own messages are no person's",
			at: "ended-told", do: deferred, by: in("bot/internal/outbox", "^TestBusyUntilItsEndIsTold$"),
		},
		{
			name: "outbox: only the next one is anchored anew", what: "a first answer without an id",
			at: "baseline-anew", do: operand(2, 2, replace("x.baselineUnknown || x.ReconcileFrom == 0")), by: in("bot/internal/outbox", "^TestTurnsBeside"),
		},
		{
			name: "outbox: what comes late is not anchored anew", what: "a first answer without an id",
			at: "baseline-late", do: operand(2, 4, replace("lowWater >= 0")), by: in("bot/internal/outbox", "^TestTurnsBeside"),
		},
	}
}
