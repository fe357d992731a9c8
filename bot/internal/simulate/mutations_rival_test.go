package simulate_test

// rivalParts are mutations of what a bot does about another one on its account.
func rivalParts() []mutation {
	return []mutation{
		{
			name: "rival: nobody looks", what: "of two bots on one account one stops",
			at: "rival-in-doubt", do: never, by: in("bot", "^TestTwoBotsOnOneAccount$"),
		},
		{
			name: "rival: nobody looks, and real processes", what: "of two processes on one account one goes on",
			at: "rival-in-doubt", do: never, by: in("cmd", "^TestTwoProcessesOnOneAccount$"),
		},
		{
			name: "rival: text proves all", what: "an owner who sends prepared replies stops nothing",
			at: "rival-seconds", do: never, by: in("bot", "^TestOwnerWithSavedReplies$"),
		},
		{
			name: "rival: what waited for its turn proves as much", what: "an owner who meets the bot's queue stops nothing",
			at: "rival-queued", do: never, by: in("bot/internal/rival", "^TestWhatADoubleProves$"),
		},
		{
			name: "rival: one is enough", what: "one message leaves that conversation to a person, and nothing else",
			at: "rival-enough", do: returns("first, enough > 0"), by: in("bot", "^TestOwnerWithSavedReplies$"),
		},
		{
			name: "rival: both stop", what: "one of the two goes on",
			at: "rival-behind", do: without(1, 2), by: in("bot", "^TestTwoBotsOnOneAccount$"),
		},
		{
			name: "rival: both go on", what: "one of the two stops",
			at: "rival-behind", do: never, by: among("rival"),
		},
		{
			name: "rival: both believe that they came first", what: "one of the two stops, also where nothing tells whose a message is",
			at: "rival-yields", do: swap("s.certain >= patientDoubles", "false"), by: in("bot/internal/rival", "^TestBothBelieveThatTheyCameFirst$"),
		},
		{
			name: "rival: it stops in words", what: "nothing leaves of an account that has stopped",
			at: "rival-halt", do: drop, by: in("bot", "^TestTwoBotsOnOneAccount$"),
		},
		{
			name: "rival: a start forgets it", what: "an account that has stopped stays so over starts",
			at: "rival-restore", do: never, by: in("bot", "^TestStoppedAccount$"),
		},
		{
			name: "rival: a person cannot let it go on", what: "nectar accounts resume overrules",
			at: "rival-resume", do: drop, by: in("bot", "^TestStoppedAccount$"),
		},
		{
			name: "rival: it waits for ever", what: "of two bots that have both stopped one goes on",
			at: "rival-alone", do: always, by: in("bot", "^TestBothHaveStopped$"),
		},
		{
			name: "rival: whom it has answered counts, too", what: "a rival leaves those to a person",
			at: "rival-fresh", do: always, by: in("bot", "^TestStaysStopped$"),
		},
		{
			name: "rival: nobody looks again", what: "both bots tell that there is another one",
			at: "rival-look", do: never, by: in("bot", "^TestTwoBotsOnOneAccount$"),
		},
		{
			name: "rival: one person under two names", what: "two accounts that are one person do not answer twice",
			at: "one-person", do: drop, by: in("bot", "^TestOnePersonUnderTwoNames$"),
		},
		{
			name: "rival: what waits for a slot leaves", what: "nothing leaves of an account that is halted",
			at: "halted", do: never, by: in("bot/internal/outbox", "^TestHalted$"),
		},
		{
			name: "rival: what is queued stays in memory", what: "what an account holds is in the store, as due",
			at: "halt-persist", do: drop, by: in("bot/internal/outbox", "^TestHalted$"),
		},
	}
}
