package simulate_test

// crashParts are mutations that the tests of single crashes notice: what they prove, a random crash seldom meets.
func crashParts() []mutation {
	return []mutation{
		{
			name: "crash: a stop gives back what is overtaken", what: "order over a stop, and a crash before it is over",
			file: "bot/outbox/chain.go", by: in("bot/outbox", "^TestCrashInAStop$"),
			old: "	if ch.running || ch.reserved+ch.released > 0 {", new: "	if ch.running {",
		},
		{
			name: "crash: events are shelved without those before them", what: "order over a failed commit and a crash",
			file: "bot/shelve.go", by: in("bot", "^TestCrashAfterAFailedCommit$"),
			old: "{l.again, l.flying, l.queue}", new: "{l.queue}",
		},
		{
			name: "crash: a try stands alone", what: "a failed try does not let its event go ahead",
			file: "bot/attempt.go", by: in("bot", "^TestCrashAfterAFailedCommit$"),
			old: "Quarantined: last, Facts: it.facts, Trace: trace, At: now, Lane: l.token}", new: "Quarantined: last, Facts: it.facts, Trace: trace, At: now}",
		},
		{
			name: "crash: posts take their places at once", what: "posts leave in the order in which they are told apart",
			file: "bot/account.go", by: in("bot", "^TestPostsOfMany"),
			old: "return x.Verb != event.VerbMessage })", new: "return false })",
		},
		{
			name: "crash: the head's copy is the twin's", what: "a twin behind an action without an id",
			file: "bot/outbox/anchor.go", by: in("bot/outbox", "Twin"),
			old: "			m.SettleFrom = 0\n", new: "",
		},
		{
			name: "crash: a new row knows everything", what: "a later twin of an action without an id",
			file: "bot/outbox/anchor.go", by: in("bot/outbox", "Twin"),
			old: "	return floor, blind || b.nameless.Load()", new: "	return 0, floor != 0 && blind && false",
		},
		{
			name: "crash: receipts without a commit", what: "what has a receipt is stored",
			file: "bot/store/writer.go", by: in("bot/store", "^TestReceiptsWhileSomebodyOnlyWaits$"),
			old: "	if len(w.cursors) > 0 || slices.ContainsFunc(w.queue, func(x Write) bool { return !x.empty() }) {",
			new: "	if len(w.cursors) > 0 {",
		},
		{
			name: "crash: a session vouched for is good for a while", what: "a session that ends after a refusal of another kind",
			file: "platform/session/reject.go", by: in("platform/session", "^TestASessionThatEndsAfterAGenuine400$"),
			old: "b.check.fine > before\n", new: "b.check.fine > 0\n",
		},
		{
			name: "crash: whom a probe has answered waits for the next", what: "a refusal that is clear although another probe is under way",
			file: "platform/session/reject.go", by: in("platform/session", "^TestRefusalsBeforeAndAfterAProbe$"),
			old: "b.probe != nil && !vouched", new: "b.probe != nil",
		},
		{
			name: "memory: a lane keeps its turns", what: "memory does not grow with what was decided",
			file: "bot/turn.go", by: in("bot", "^TestLanesForgetTheirTurns$"),
			old: "		out.Conversation = &conv", new: "		_, out.Conversation = conv, &t.Conversation",
		},
		{
			name: "rules: answers overtake one another", what: "answers of a conversation are due in turn",
			file: "handlers/rules/order.go", by: in("plugins/autoresponder", "^TestAnswersInTurn$"),
			old: "	at = latest(at, m.Due[answersDue])", new: "	_ = answersDue",
		},
		{
			name: "rules: who looks on may act", what: "the bot is silent while a person has the conversation",
			file: "bot/turn_api.go", by: in("bot", "^TestLookingOn$"),
			old: "	if t.mute && t.failed == nil {", new: "	if false {",
		},
		{
			name: "rules: a pause is told by everybody", what: "a notice about an entry is told once",
			file: "bot/store/sqlite_turn.go", by: in("plugins/autoresponder", "^TestPausedOnce$"),
			old: "		if n.List != \"\" && slices.Contains(", new: "		if false && slices.Contains(",
		},
	}
}
