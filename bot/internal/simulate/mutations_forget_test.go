package simulate_test

// forgetParts are mutations of how a person is forgotten.
func forgetParts() []mutation {
	return []mutation{
		{
			name: "forget: what is deleted stays readable", what: "of a person who was forgotten nothing is in the file",
			at: "secure-delete", do: reword("1", "0"), by: in("bot/internal/store", "^TestForgottenBytes$"),
		},
		{
			name: "log: it stays as long as it was", what: "the log of a file is short again once nobody reads",
			at: "log-limit", do: swap("LongestLog", "-1"), by: in("bot/internal/store", "^TestLongLog$"),
		},
		{
			name: "log: nobody hears that it grows", what: "who reads for a long time is told of",
			at: "log-stuck", do: swap("now.Sub(l.since) >= logStuck && !l.told", "false"), by: in("bot/internal/store", "^TestLongLog$"),
		},
		{
			name: "forget: what SQLite has moved stays readable", what: "of a person who was forgotten nothing is in the file",
			at: "forget-moved", do: drop, by: in("bot/internal/store", "^TestForgottenBytes$"),
		},
		{
			name: "forget: the log stays", what: "of a person who was forgotten nothing is in the log of the database",
			at: "forget-log", do: never, by: in("bot", "^TestForget$"),
		},
		{
			name: "forget: facts stay", what: "what was recorded for a turn goes, too",
			at: "forget-facts", do: deferred, by: in("bot/internal/store", "^TestForgetGoesOn$"),
		},
		{
			name: "forget: nothing is waited for", what: "what is on its way to a person has an end before she is forgotten",
			at: "forget-waits", do: never, by: in("bot", "^TestForgetWaits$"),
		},
		{
			name: "forget: what nobody named is not read", what: "the bot's own words are not taken for a person's when their text is forgotten",
			at: "forget-unnamed", do: never, by: in("bot", "^TestForgetWhatNobodyNamed$"),
		},
		{
			name: "forget: what nobody can read is waited for", what: "somebody is forgotten although what the bot has said is not shown any more",
			at: "forget-unread-ends", do: swap("o.waits < readTries", "true"), by: in("bot", "^TestForgetWhatNobodyNamed$"),
		},
		{
			name: "forget: what waits in the lane is answered", what: "what the bot has read before is forgotten with the rest",
			at: "forget-queue", do: drops(2), by: in("bot", "^TestForgetWhatWaits$"),
		},
		{
			name: "forget: who is ignored is answered", what: "nectar forget --and-ignore leaves somebody alone",
			at: "forget-ignores", do: always, by: in("bot", "^TestForgetAndIgnore$"),
		},
		{
			name: "forget: a start hears everybody", what: "who is ignored stays so over starts",
			at: "forget-restore", do: drop, by: in("bot", "^TestForgetAndIgnore$"),
		},
		{
			name: "forget: who is heard again is asked about nothing", what: "what was said while somebody was ignored is not handled later",
			at: "forget-kind", do: swap("event.KindForgotten", "e.Kind"), by: among("forgotten"),
		},
		{
			name: "forget: the request waits ahead of all", what: "what the outbox waits for is decided before",
			at: "forget-rank", do: never, by: in("bot", "^TestForgetMeetsTheOwner$"),
		},
		{
			name: "forget: what goes on is done later", what: "who forgets somebody is told what becomes of it",
			at: "forget-goes-on", do: never, by: in("cmd", "^TestForgetGoesOn$"),
		},
	}
}
