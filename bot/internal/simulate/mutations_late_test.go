package simulate_test

// lateParts are mutations of what waits until it is known how things stand: a request that may arrive, a session in
// doubt, and what an outage left alone.
func lateParts() []mutation {
	wakes := in("bot", "^TestOneGoodAnswerWakesAll$")
	limits := in("bot", "^TestNobodyWakesARateLimit$")
	return []mutation{
		{
			name: "late: a request counts from when it left", what: "what is handled late is not sent again, and no like undone",
			at: "gave-up", do: replace("d.gaveUp = left"), by: simulator,
		},
		{
			name: "late: a crash gives requests up", what: "what is handled long after a crash is not sent again, and no like undone",
			at: "gave-up-unknown", do: swap("now.Add(c.Deadline)", "now"), by: in("bot", "^TestReconciled$"),
		},
		{
			name: "late: what may arrive is held", what: "the next wish is not undone",
			at: "held-early", do: without(2, 2), by: in("bot/internal/outbox", "^TestNothingIsHeldThatMayArrive$"),
		},
		{
			name: "late: a session in doubt is used", what: "no call is sent in vain while a session is in doubt",
			at: "doubtful", do: never, by: in("platform/session", "^TestADoubtfulSessionIsNotUsed$"),
		},
		{
			name: "late: nobody wakes the poller", what: "a source is polled when another call succeeded",
			at: "wake-poller", do: never, by: wakes,
		},
		{
			name: "late: nobody wakes the dispatcher", what: "actions leave when another call succeeded",
			at: "wake-dispatcher", do: drop, by: wakes,
		},
		{
			name: "late: pauses go on over an interruption", what: "an outage that was interrupted is over when it is",
			at: "pauses-anew", do: never, by: in("bot/internal/poll", "^TestSourceThatGetsSomeAnswers$"),
		},
		{
			name: "late: a source that wants peace is woken", what: "Retry-After holds whatever others hear",
			at: "unreached-limit", do: each(without(1, 3), without(2, 3)), by: limits,
		},
		{
			name: "late: a dispatcher that is to wait is woken", what: "Retry-After holds whatever others hear",
			at: "breaker-wake", do: each(without(2, 4), without(3, 4)), by: limits,
		},
	}
}
