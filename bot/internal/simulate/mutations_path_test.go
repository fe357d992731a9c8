package simulate_test

// pathParts are mutations of the way of an event from the poll to its commit, where two things must meet that
// seldom do, and of retention.
func pathParts() []mutation {
	return []mutation{
		{
			name: "path: a new incarnation reads no list again", what: "a notification that is shown late, over a restart",
			at: "list-again", do: unassign(3, 3), by: in("bot/internal/poll", "^TestRowsThatAreShownLateOverARestart$"),
		},
		{
			name: "path: a new incarnation reads no chat again", what: "a message that is shown late, over a restart",
			at: "unswept", do: never, by: in("bot/internal/poll", "^TestRowsThatAreShownLateOverARestart$"),
		},
		{
			name: "path: a timer's try leaves nothing", what: "what a failed try of a timer recorded is not done again after a crash",
			at: "timer-try-facts", do: returns("nil"), by: in("bot", "^TestFactsOfATryOverCrashes$"),
		},
		{
			name: "path: who waits for the platform has recorded nothing", what: "the same while a turn waits for the platform",
			at: "waiting-facts", do: drop, by: in("bot", "^TestFactsOfATryOverCrashes$"),
		},
		{
			name: "path: a timer that is set anew keeps what its tries recorded", what: "nothing of a timer that is gone stays for ever",
			at: "untry-timer", do: replace("var err error"), by: in("bot/internal/store", "^TestSQLite$"),
		},
		{
			name: "path: a lane is mended and left alone", what: "a conversation goes on behind a turn that was refused",
			at: "restarted", do: drop, by: in("bot", "^TestLane(BeginsAnew|GoesOn)Behind"),
		},
		{
			name: "path: what has returned is left behind", what: "nothing is lost behind a handler that returns in the last instant",
			at: "abandon", do: without(2, 2), by: in("bot", "^TestHandlerThatReturnsAsItIsLeftBehind$"),
		},
		{
			name: "path: to wait for a slot is a failure", what: "nothing is quarantined since a platform is silent",
			at: "slot-wait", do: without(4, 4), by: in("bot", "^TestManyTurnsWaitForASilentPlatform$"),
		},
		{
			name: "path: a turn waits for ever", what: "a post that can never be read stops its conversation for a while only",
			at: "hopeless", do: without(2, 2), by: in("bot", "^TestPostThatCanNeverBeRead$"),
		},
		{
			name: "path: an outage is the event's fault", what: "nothing is quarantined since a platform is out",
			at: "account-out", do: without(3, 3), by: in("bot", "^TestOutageIsNoFaultOfTheAccountsOwnTurns$"),
		},
		{
			name: "path: a backlog is stored at leisure", what: "what was unread before a first start is answered over a crash",
			at: "backlog", do: never, by: in("bot", "^TestCrashInAFirstStart$"),
		},
		{
			name: "path: a backlog does not grow", what: "what is unread in a first start that is tried again is answered",
			at: "backlog-grows", do: replace("if backlog[peer].Mark > 0 || unread == 0 {\n\t\t\tcontinue\n\t\t}"),
			by: in("bot/internal/poll", "^TestBacklogOfAFirstStart"),
		},
		{
			name: "path: what waits takes room", what: "a flood behind a turn that fails delays nobody",
			at: "shelved", do: never, by: in("bot", "^TestFloodBehindATurnThatFails$"),
		},
		{
			name: "path: a turn that begins anew has forgotten", what: "what a turn has recorded is not done again",
			at: "anew-facts", do: drop, by: in("bot", "^TestFactsOfATurnThatBeginsAnew$"),
		},
		{
			name: "path: a timer that is tried again has forgotten", what: "what a timer's turn has recorded is not done again",
			at: "try-facts", do: drop, by: in("bot", "^TestFactsOfATurnThatBeginsAnew$"),
		},
		{
			name: "path: a clock that is ahead uses up limits", what: "uses of a limit count on when a clock is set right",
			at: "clock-slack", do: swap("at.Add(-min(c.Within, clockSlack))", "at"), by: in("bot/internal/store", "^TestSQLite$"),
		},
		{
			name: "path: timers of all accounts share the room", what: "timers of an account ring whatever those of another one wait for",
			at: "timers-ahead", do: always, by: in("bot", "^TestTimersOfAnotherAccount$"),
		},
		{
			name: "workload oldtimer: retention takes what is quarantined", what: "what is quarantined waits for a person",
			at: "old-events", do: without(2, 3), by: among("oldtimer"),
		},
		{
			name: "workload oldtimer: retention takes what is held", what: "what is held waits for a person",
			at: "old-actions", do: without(3, 3), by: among("oldtimer"),
		},
	}
}
