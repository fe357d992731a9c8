package simulate_test

// unclearParts are mutations of what finds out what became of a commit without a clear end.
func unclearParts() []mutation {
	return []mutation{
		{
			name: "unclear: a failure is believed", what: "what is stored although it was said to have failed is not lost",
			at: "find-out", do: never, by: simulator,
		},
		{
			name: "unclear: what can be asked about is stored", what: "what failed is tried again",
			at: "found-out", do: without(2, 2), by: simulator,
		},
		{
			name: "unclear: an account begins again", what: "what is said while it cannot be stored where an account begins is answered",
			at: "begin-once", do: drop, by: in("bot", "^TestFirstStartWithoutAnAnswer$"),
		},
		{
			name: "unclear: an inspector believes a failure", what: "what people are told to have failed does not happen later",
			at: "inspector-found-out", do: never, by: in("bot/internal/store", "^TestUnclearCommits$"),
		},
		{
			name: "unclear: who waits for the pace is left to a person", what: "what the pace kept waiting is sent again",
			at: "pace-excused", do: swap("a.breaker.askableTime(time.Now()).Sub(since)", "time.Duration(0)"), by: in("bot/internal/outbox", "^TestPatienceWaitsForThePace$"),
		},
	}
}
