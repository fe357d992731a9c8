package simulate_test

// ruleParts are mutations of what rules need of the core, and of the rules themselves.
func ruleParts() []mutation {
	return []mutation{
		{
			name: "rules: a denied claim is none", what: "the last use of a limit",
			file: "bot/store/sqlite_turn.go", by: in("bot", "^TestLastUses$"),
			old: "		if limit != \"\" {", new: "		if limit != \"\" && false {",
		},
		{
			name: "rules: a use is not given back", what: "uses of actions that come to nothing",
			file: "bot/store/sqlite_turn.go", by: in("bot", "^TestUseIsGivenBack$"),
			old: "		if failed(m.State) {", new: "		if false && failed(m.State) {",
		},
		{
			name: "rules: an approval claims nothing", what: "limits of what waits for approval",
			file: "bot/desk.go", by: in("bot", "^TestApproval$"),
			old: "	t.claims = claims\n", new: "	_ = claims\n",
		},
		{
			name: "rules: a team's timer waits, too", what: "reminders while a team has the conversation",
			file: "bot/takeover.go", by: in("bot", "^TestTimersOfWhatAPersonHas$"),
			old: "strings.HasPrefix(timer, OwnedTimer):", new: "false:",
		},
		{
			name: "rules: nobody keeps conversations", what: "conversations of rule files",
			file: "bot/router.go", by: in("bot", "^TestRouteKeepsConversations$"),
			old: "	if len(r.keepers) == 0 || ", new: "	if true || ",
		},
		{
			name: "rules: turns ahead use nothing", what: "uses of turns that are on their way",
			file: "bot/turn_rules.go", by: in("bot", "^TestUsesOfTurnsAhead$"),
			old: "return n + len(ahead), nil", new: "return n, nil",
		},
		{
			name: "rules: retention takes what waits", what: "retention",
			file: "bot/store/sqlite_keep_event.go", by: in("bot/store", "^TestRetention$"),
			old: "r.state != EventHandled || ", new: "",
		},
		{
			name: "rules: what retention took is new", what: "retention",
			file: "bot/store/sqlite_keep_event.go", by: in("bot/store", "^TestRetention$"),
			old: "		if err := a.lift(&r.rowKey, source, r.number); err != nil {\n			return err\n		}\n", new: "",
		},
		{
			name: "rules: a comment may eat a text", what: "traps of YAML",
			file: "handlers/text/text.go", by: in("handlers/text", "Golden"),
			old: "case n.at.hash > 0:", new: "case false:",
		},
		{
			name: "rules: words need not be whole", what: "what people write",
			file: "handlers/language/match.go", by: in("handlers/language", "^TestMatch$"),
			old: "at+len(words) >= len(s.at)", new: "at+len(words) > len(s.at)",
		},
		{
			name: "rules: anybody may be written to for ever", what: "the checker",
			file: "handlers/rules/check_rule.go", by: in("handlers/rules", "^TestFindings$"),
			old: "if writesToPeople(r.Then) {", new: "if false {",
		},
		{
			name: "rules: a test is saved anywhere", what: "tests that try saves",
			file: "cmd/nectar/try_patch.go", by: in("cmd/nectar", "^TestAddTestLeaves"),
			old: "!place.grown(before, after) {", new: "after == nil {",
		},
	}
}
