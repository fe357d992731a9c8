package simulate_test

// termParts are mutations of how accounts come and go.
func termParts() []mutation {
	return []mutation{
		{
			name: "terms: what was used up is not kept", what: "a change of hands grants no burst",
			at: "spent-kept", do: drop, by: in("bot", "^TestChangeOfHandsGrantsNoBurst$"),
		},
		{
			name: "terms: a bucket is full after a move", what: "a change of hands grants no burst",
			at: "inherit-pace", do: drop, by: in("bot", "^TestChangeOfHandsGrantsNoBurst$"),
		},
		{
			name: "terms: what the platform asked for is forgotten", what: "a platform is left alone for as long as it asked, whoever was asked",
			at: "inherit-asked", do: drop, by: in("bot", "^TestChangeOfHandsGrantsNoBurst$"),
		},
		{
			name: "terms: what is decided after the end counts", what: "a handler that was left behind decides nothing",
			at: "term-over", do: without(3, 3), by: in("bot", "^TestAHandlerThatHangsWhenItsAccountGoes$"),
		},
		{
			name: "terms: nobody waits for what is on its way", what: "what is under way when an account goes ends before somebody else takes it up",
			at: "term-drain", do: drop, by: in("bot", "^TestARequestOnItsWayWhenItsAccountGoes$"),
		},
		{
			name: "terms: turns go on", what: "no turn begins in any account once the bot stops, however long those of another one take",
			at: "term-turns", do: drop, by: in("bot", "^TestTurnsOfAnotherAccountWhenTheBotStops$"),
		},
		{
			name: "terms: what is queued may be stored later", what: "nobody takes an account up before all of its last term is stored",
			at: "term-stored", do: never, by: among("commuter"),
		},
		{
			name: "served: timers of all", what: "timers ring at whoever serves their account",
			at: "served-timers", do: never, by: in("bot/internal/store", "^TestSQLite$/^a_process_is_shown"),
		},
		{
			name: "served: notices of all", what: "people are told once, by whoever serves the account",
			at: "served-notices", do: never, by: in("bot/internal/store", "^TestSQLite$/^a_process_is_shown"),
		},
		{
			name: "served: anybody deletes what is old", what: "what is old is deleted by whoever serves its account",
			at: "served-old", do: never, by: in("bot/internal/store", "^TestRetentionOfOthers$"),
		},
		{
			name: "terms: what is kept back is the platform's fault", what: "a process without a lease goes on at once when it has one again, and is quiet meanwhile",
			at: "kept-back", do: never, by: in("bot", "^TestWhatIsKeptBack$"),
		},
		{
			name: "terms: a dead worker has used up nothing", what: "a takeover grants no burst",
			at: "spent-unknown", do: never, by: in("bot", "^TestTakeoverGrantsNoBurst$"),
		},
		{
			name: "terms: nobody hears of refused credentials", what: "a takeover does not try a password again that was just refused",
			at: "refusal-kept", do: drop, by: in("bot", "^TestTakeoverHeedsRefusals$"),
		},
		{
			name: "terms: a shard is whole at once", what: "a timer that comes due while its shard changes hands waits for its account",
			at: "whole-shard", do: without(2, 2), by: in("bot", "^TestTimerWhileAShardChangesHands$"),
		},
		{
			name: "terms: timers that were set aside stay so", what: "a timer has its turn when its account is back",
			at: "term-timers", do: drop, by: in("bot", "^TestTimerOfAnAccountThatIsGone$"),
		},
		{
			name: "terms: an account that could not be taken up is given up", what: "one that cannot be taken up is tried again",
			at: "term-again", do: drop, by: in("bot", "^TestAnAccountThatCannotStart$"),
		},
		{
			name: "terms: a loop that panics is not noticed", what: "a bot without one of its loops does not go on",
			at: "loop-panics", do: swap("pool.New().WithContext(ctx).WithCancelOnError()", "pool.New().WithContext(ctx)"), by: in("bot", "^TestPanicInALoop$"),
		},
		{
			name: "terms: a start is not broken off", what: "a stop ends a bot that is starting",
			at: "start-cut", do: swap("a.beginTerm(ctx, termsCtx, nil)", "a.beginTerm(termsCtx, termsCtx, nil)"), by: in("bot", "^TestStopWhileStarting$"),
		},
		{
			name: "terms: what is tried again is not broken off", what: "a stop ends a bot that tries an account again",
			at: "term-again-cut", do: swap("b.waitStored(ctx)", "b.waitStored(incarnations)"), by: in("bot", "^TestStopWhileStarting$"),
		},
		{
			name: "terms: goroutines begin after a stop", what: "who ends what goroutines work on waits for all of them",
			at: "begin-stopped", do: never, by: in("bot/internal/lifecycle", "^TestGroup$"),
		},
		{
			name: "terms: who is cut off waits", what: "a lease that ends while its database does not answer is over",
			at: "term-cut", do: drop, by: in("bot", "^TestLeaseEndsWhileTheDatabaseDoesNotAnswer$"),
		},
		{
			name: "terms: what is given away waits for the database", what: "a lease that ends while its database does not answer is over",
			at: "end-cut", do: swap("context.AfterFunc(b, cut)", "func() bool { return true }"), by: in("bot", "^TestLeaseEndsWhileTheDatabaseDoesNotAnswer$"),
		},
		{
			name: "terms: whoever signs in", what: "nobody acts with another account's memory",
			at: "another-person", do: never, by: in("platform/session", "^TestAnotherPersonIsParked$"),
		},
		{
			name: "terms: another account has a term", what: "nothing is done with the memory of one account as another one",
			at: "another-term", do: never, by: in("bot", "^TestTheDatabaseOfAnotherAccount$"),
		},
		{
			name: "terms: a lease is lost to a bot", what: "a worker whose lease is lost before it has a bot enters anew",
			at: "lost-unused", do: never, by: in("bot", "^TestLeaseIsLostBeforeThereIsABot$"),
		},
		{
			name: "terms: other credentials are no reason to ask", what: "a session that was kept with other credentials is nobody's until it is known whose they are",
			at: "other-credentials", do: never, by: in("platform/session", "^TestRestoreFindsOutWhoItIs$"),
		},
		{
			name: "terms: a renewal goes on", what: "the tokens of an account are used by one worker at a time",
			at: "term-renewal", do: never, by: in("bot", "^TestHandOverWaitsForARenewal$"),
		},
	}
}
