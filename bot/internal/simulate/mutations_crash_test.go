package simulate_test

// crashParts are mutations that the tests of single crashes notice: what they prove, a random crash seldom meets.
func crashParts() []mutation {
	return []mutation{
		{
			name: "crash: a stop gives back what is overtaken", what: "order over a stop, and a crash before it is over",
			at: "abandon-queue", do: without(2, 2), by: in("bot/internal/outbox", "^TestCrashInAStop$"),
		},
		{
			name: "crash: events are stored without those before them", what: "order over a failed commit and a crash",
			at: "persist", do: swap("[][]*job{l.toRetry, l.inFlight, l.queue}", "[][]*job{l.queue}"), by: in("bot", "^TestCrashAfterAFailedCommit$"),
		},
		{
			name: "crash: a try stands alone", what: "a failed try does not let its event go ahead",
			at: "attempt", do: field("Sequence", drop), by: in("bot", "^TestCrashAfterAFailedCommit$"),
		},
		{
			name: "crash: posts take their places at once", what: "posts leave in the order in which they are told apart",
			at: "post-places", do: inner(never), by: in("bot", "^TestPostsOfMany"),
		},
		{
			name: "crash: the head's copy is the twin's", what: "a twin behind an action without an id",
			at: "head-copy", do: drop, by: in("bot/internal/outbox", "Twin"),
		},
		{
			name: "crash: a new row knows everything", what: "a later twin of an action without an id",
			at: "new-low-water", do: returns("0, false"), by: in("bot/internal/outbox", "Twin"),
		},
		{
			name: "crash: receipts without a commit", what: "what has a receipt is stored",
			at: "empty-commit", do: without(2, 2), by: in("bot/internal/store", "^TestReceiptsWhileSomebodyOnlyWaits$"),
		},
		{
			name: "crash: a session vouched for is good for a while", what: "a session that ends after a refusal of another kind",
			at: "vouched", do: swap("before", "0"), by: in("platform/session", "^TestASessionThatEndsAfterAGenuine400$"),
		},
		{
			name: "crash: whom a probe has answered waits for the next", what: "a refusal that is clear although another probe is under way",
			at: "probe-waits", do: without(2, 2), by: in("platform/session", "^TestRefusalsBeforeAndAfterAProbe$"),
		},
		{
			name: "session: what is read late counts", what: "a session that was got is not replaced by what was kept before",
			at: "late-reading", do: always, by: in("platform/session", "^TestALateReadingIsNotUsed$"),
		},
		{
			name: "memory: a lane keeps its turns", what: "memory does not grow with what was decided",
			at: "conversation-copy", do: replace("_, out.Conversation = conv, &t.Conversation"), by: in("bot", "^TestLanesForgetTheirTurns$"),
		},
		{
			name: "rules: answers overtake one another", what: "answers of a conversation are due in turn",
			at: "answers-in-turn", do: drop, by: in("plugins/autoresponder", "^TestAnswersInTurn$"),
		},
		{
			name: "rules: who looks on may act", what: "the bot is silent while a person has the conversation",
			at: "mute", do: never, by: in("bot", "^TestLookingOn$"),
		},
		{
			name: "rules: a pause is told by everybody", what: "a notice about an entry is told once",
			at: "told-once", do: never, by: in("plugins/autoresponder", "^TestPausedOnce$"),
		},
	}
}
