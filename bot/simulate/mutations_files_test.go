package simulate_test

// fileParts are mutations of what rule files do over people's decisions, saves and pauses.
func fileParts() []mutation {
	return []mutation{
		{
			name: "rules: a stop word is heard by the bot alone", what: "who says stop to a person of ours hears no more from the bot",
			file: "handlers/rules/decide_owned.go", by: in("plugins/autoresponder", "^TestStopWhileOwned$"),
			old: "	if d.stops() {", new: "	if false && d.stops() {",
		},
		{
			name: "rules: a replay forgets who said stop", what: "a replay decides as the bot did",
			file: "handlers/rules/replay_person.go", by: in("handlers/rules", "^TestReplayStopWhileOwned$"),
			old: "case !r.v.stops(e.Text):", new: "case true:",
		},
		{
			name: "rules: answers wait for what was withdrawn", what: "the order of answers after a takeover",
			file: "bot/turn.go", by: in("plugins/autoresponder", "^TestOrderAfterATakeover$"),
			old: "if t.withdraw != \"\" {", new: "if t.withdraw != \"\" && false {",
		},
		{
			name: "rules: one rule for all actions of a turn", what: "anyone can see which rule did what",
			file: "handlers/rules/decide_by.go", by: in("cmd/nectar", "^TestOutboxNamesTheRuleOfEachAction$"),
			old: "if !slices.ContainsFunc(d.out.Actions", new: "if true || !slices.ContainsFunc(d.out.Actions",
		},
		{
			name: "rules: what was decided a moment ago is not seen", what: "an answer after a refusal",
			file: "bot/lane.go", by: in("bot", "^TestActionStateOfTurnsAhead$"),
			old: "return a.Held || a.State == event.StateHeld", new: "return a.State == event.StateHeld",
		},
		{
			name: "rules: a file that is gone stays", what: "files that are removed while another is broken",
			file: "plugins/autoresponder/folder.go", by: in("plugins/autoresponder", "^TestRemovedBesideABrokenFile$"),
			old: "!worked && (!gone || fo.drafts[p.File]):", new: "!worked && !gone:",
		},
		{
			name: "rules: each save tells all problems", what: "a problem is told once",
			file: "plugins/autoresponder/folder.go", by: in("plugins/autoresponder", "^TestProblemsAreSaidOnce$"),
			old: "		if known(p) {", new: "		if false && known(p) {",
		},
		{
			name: "rules: a talk that is over goes on", what: "another conversation begins",
			file: "handlers/rules/decide.go", by: in("handlers/rules", "^TestNothingIsUnderWay$"),
			old: "r.starts() && d.inTalk()", new: "r.starts() && d.state.Flow.Active()",
		},
		{
			name: "rules: who waits acts for a rule on watch", what: "a rule on watch does nothing",
			file: "handlers/rules/decide_timer.go", by: in("handlers/rules", "^TestWaitingForOtherRules$"),
			old: "case w.Who != \"\" && !d.statusOf(r).Acts(), w.Who == \"\" &&", new: "case false &&",
		},
		{
			name: "rules: a reminder that came in a pause is gone", what: "a conversation goes on after a pause",
			file: "handlers/rules/decide_talk.go", by: in("handlers/rules", "^TestSilenceWhilePaused$"),
			old: "t != nil {\n\t\td.silentFrom(t, d.now.Add", new: "t != nil && false {\n\t\td.silentFrom(t, d.now.Add",
		},
		{
			name: "rules: gathered for ever", what: "anyone can see what became of a message",
			file: "cmd/nectar/events_burst.go", by: in("cmd/nectar", "^TestEventsThatWereGatheredInVain$"),
			old: "} else if !waits[e.Key()] {", new: "} else if false {",
		},
		{
			name: "guest rules: each version counts for itself", what: "a limit outlasts a new version of its file",
			file: "handlers/rules/limits.go", by: among("rules"),
			old: "limitPrefix + r.id + \"/\" + name, Scope", new: "limitPrefix + r.id + \"/\" + name + \"/\" + d.v.hash, Scope",
		},
	}
}
