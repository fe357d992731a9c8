package simulate_test

// ruleParts are mutations of what rules need of the core, and of the rules themselves.
func ruleParts() []mutation {
	return []mutation{
		{
			name: "rules: a use that is denied is none", what: "the last use of a limit",
			at: "denied", do: never, by: in("bot", "^TestLastUses$"),
		},
		{
			name: "rules: a use is not given back", what: "uses of actions that come to nothing",
			at: "use-back", do: never, by: in("bot", "^TestUseIsGivenBack$"),
		},
		{
			name: "rules: an approval claims nothing", what: "limits of what waits for approval",
			at: "approval-limit-uses", do: drop, by: in("bot", "^TestApproval$"),
		},
		{
			name: "rules: a team's timer waits, too", what: "reminders while a team has the conversation",
			at: "owned-timer", do: swap("strings.HasPrefix(timer, OwnedTimer)", "false"), by: in("bot", "^TestTimersOfWhatAPersonHas$"),
		},
		{
			name: "rules: nobody keeps conversations", what: "conversations of rule files",
			at: "keepers", do: always, by: in("bot", "^TestRouteKeepsConversations$"),
		},
		{
			name: "rules: turns ahead use nothing", what: "uses of turns that are on their way",
			at: "uses-ahead", do: swap("len(ahead)", "0"), by: in("bot", "^TestUsesOfTurnsAhead$"),
		},
		{
			name: "rules: retention takes what waits", what: "retention",
			at: "old-events", do: without(2, 3), by: in("bot/internal/store", "^TestRetention$"),
		},
		{
			name: "rules: what retention took is new", what: "retention",
			at: "lift", do: drop, by: in("bot/internal/store", "^TestRetention$"),
		},
		{
			name: "rules: a comment may eat a text", what: "traps of YAML",
			at: "eaten", do: never, by: in("handlers/text", "Golden"),
		},
		{
			name: "rules: words need not be whole", what: "what people write",
			at: "whole-words", do: operand(2, 2, operator(">")), by: in("internal/language/match", "^TestMatch$"),
		},
		{
			name: "rules: anybody may be written to for ever", what: "the checker",
			at: "per-person", do: never, by: in("handlers/rules", "^TestFindings$"),
		},
		{
			name: "rules: a day is read by now", what: "what somebody calls tomorrow is the day after they said it, or it is asked again",
			at: "said-then", do: never, by: in("handlers/rules", "^TestDaysAreReadByWhenTheyWereSaid$"),
		},
		{
			name: "rules: the next opening is as of now", what: "a text that waits says the next opening as it is when it is read",
			at: "next-open", do: swap("d.leaves(a.Verb)", "d.now"), by: in("handlers/rules", "^TestNextOpen$"),
		},
		{
			name: "rules: a test is saved anywhere", what: "tests that try saves",
			at: "test-place", do: without(2, 2), by: in("cmd/internal/edit", "^TestAddTestLeaves"),
		},
	}
}
