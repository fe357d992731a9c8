package simulate_test

// fileParts are mutations of what rule files do over people's decisions, saves and pauses.
func fileParts() []mutation {
	return []mutation{
		{
			name: "accounts file: what is wrong is shown", what: "no password in an error of the accounts file",
			at: "secret-file", do: always, by: in("bot/config", "^TestPasswordsThatMeanSomethingElse$"),
		},
		{
			name: "rules: a stop word is heard by the bot alone", what: "who says stop to a person of ours hears no more from the bot",
			at: "stop-word", do: never, by: in("plugins/autoresponder", "^TestStopWhileOwned$"),
		},
		{
			name: "rules: a replay forgets who said stop", what: "a replay decides as the bot did",
			at: "replay-stop", do: always, by: in("handlers/rules", "^TestReplayStopWhileOwned$"),
		},
		{
			name: "rules: answers wait for what was withdrawn", what: "the order of answers after a takeover",
			at: "withdrawn", do: never, by: in("plugins/autoresponder", "^TestOrderAfterATakeover$"),
		},
		{
			name: "rules: one rule for all actions of a turn", what: "anyone can see which rule did what",
			at: "rule-names", do: always, by: in("cmd", "^TestOutboxNamesTheRuleOfEachAction$"),
		},
		{
			name: "rules: what was decided a moment ago is not seen", what: "an answer after a refusal",
			at: "matters", do: inner(without(1, 2)), by: in("bot", "^TestActionStateOfTurnsAhead$"),
		},
		{
			name: "rules: a file that is gone stays", what: "files that are removed while another is broken",
			at: "file-gone", do: operand(2, 2, without(2, 2)), by: in("plugins/autoresponder", "^TestRemovedBesideABrokenFile$"),
		},
		{
			name: "rules: who is not at fault hears nothing", what: "a file that works by itself, and not beside others, is not in force",
			at: "file-beside", do: drop, by: in("plugins/autoresponder", "^TestFileThatAnotherDoesNotWorkBeside$"),
		},
		{
			name: "rules: each save tells all problems", what: "a problem is told once",
			at: "problem-known", do: never, by: in("plugins/autoresponder", "^TestProblemsAreSaidOnce$"),
		},
		{
			name: "rules: a talk that is over goes on", what: "another conversation begins",
			at: "talk-under-way", do: operand(2, 2, replace("d.state.Flow.Active()")), by: in("handlers/rules", "^TestNothingIsUnderWay$"),
		},
		{
			name: "rules: who waits acts for a rule on watch", what: "a rule on watch does nothing",
			at: "watch-waits", do: never, by: in("handlers/rules", "^TestWaitingForOtherRules$"),
		},
		{
			name: "rules: a reminder that came in a pause is gone", what: "a conversation goes on after a pause",
			at: "silent-paused", do: never, by: in("handlers/rules", "^TestSilenceWhilePaused$"),
		},
		{
			name: "rules: gathered for ever", what: "anyone can see what became of a message",
			at: "gathered", do: never, by: in("cmd", "^TestEventsThatWereGatheredInVain$"),
		},
		{
			name: "workload rules: each version counts for itself", what: "a limit outlasts a new version of its file",
			at: "limit-name", do: swap("name", `name + "/" + d.v.hash`), by: among("rules"),
		},
	}
}
