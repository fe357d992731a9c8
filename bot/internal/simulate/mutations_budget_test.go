package simulate_test

// budgetParts are mutations of the budget of hosts.
func budgetParts() []mutation {
	shares, host, polls := in("bot/internal/lease", "^TestSharesOfWorkers$"), "bot/internal/budget", "bot/internal/poll"
	return []mutation{
		{
			name: "budget: whatever the others have", what: "workers together never make more requests than a host may get",
			at: "share-of-others", do: swap("min(target, rate-others)", "min(target, rate-0*others)"), by: shares,
		},
		{
			name: "budget: lowered when others know", what: "a worker lowers its share before others can have it",
			at: "share-lowered-first", do: drop, by: shares,
		},
		{
			name: "budget: raised when others do not", what: "a worker raises its share when that is stored",
			at: "share-stored", do: swap("err == nil && stored", "err == nil || stored"), by: shares,
		},
		{
			name: "budget: two ask at once", what: "of two workers that have seen the same one says something",
			at: "asked-meanwhile", do: never, by: shares,
		},
		{
			name: "budget: the dead keep theirs", what: "the share of a worker that has gone is free",
			at: "asks-of-the-gone", do: always, by: in("bot/internal/store", "^TestBoardInMemory$"),
		},
		{
			name: "budget: only its own setting", what: "of different rates the smallest one counts",
			at: "smallest-rate", do: never, by: in("bot/internal/lease", "^TestDifferentRates$"),
		},
		{
			name: "budget: no limit", what: "a host gets no more requests than it may",
			at: "budget-token", do: never, by: in(host, "^TestRate$"),
		},
		{
			name: "budget: the first share for ever", what: "what leaves follows the share",
			at: "budget-share", do: drop, by: in(host, "^TestShareChanges$"),
		},
		{
			name: "budget: who came first", what: "what acts goes before what polls",
			at: "budget-acts-first", do: always, by: in(host, "^TestActsBeforePolls$"),
		},
		{
			name: "budget: cycles begin without it", what: "polls begin when something is left for them",
			at: "budget-left", do: never, by: in(host, "^TestActsBeforePolls$"),
		},
		{
			name: "budget: active accounts are as others", what: "active accounts are read first",
			at: "active-first", do: never, by: in(polls, "^TestActiveAccountsFirst$"),
		},
		{
			name: "budget: active accounts alone", what: "the others have a part, too",
			at: "oldest-turn", do: never, by: in(polls, "^TestActiveAccountsFirst$"),
		},
		{
			name: "outbox: a token taken is a token used", what: "what has had its token for long does not leave together with others",
			at: "pace-leaves", do: swap("p.leaves.ReserveN(now, 1).DelayFrom(now)", "time.Duration(0)"), by: in("bot/internal/outbox", "^TestPaceAfterALongRequest$"),
		},
		{
			name: "outbox: what has left is forgotten with an incarnation", what: "what had its tokens long before it left counts for the next incarnation, too",
			at: "spent-leaves", do: swap("min(tokensLeft(p.account, now), tokensLeft(p.leaves, now))", "tokensLeft(p.account, now)"), by: in("bot/internal/outbox", "^TestPaceOverIncarnations$"),
		},
		{
			name: "outbox: what waits behind something has paid", what: "what was taken out of the store without a token pays when it leaves",
			at: "fetcher-unpaid", do: drop, by: in("bot/internal/outbox", "^TestPaceBehindWhatGetsOn$"),
		},
		{
			name: "outbox: what is reserved has paid", what: "what was reserved behind something that did not get on pays when it leaves",
			at: "reserve-unpaid", do: drop, by: in("bot/internal/outbox", "^TestReservationWithoutTokens$"),
		},
		{
			name: "budget: newcomers of each worker", what: "first sign-ins are shared by all workers",
			at: "entrance-share", do: swap("e.share(host)", "1.0"), by: in("platform/session", "^TestNewcomersAreShared$"),
		},
	}
}
