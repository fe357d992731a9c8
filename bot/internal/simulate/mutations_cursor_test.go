package simulate_test

// classParts are mutations of what a failed call counts as.
func classParts() []mutation {
	return []mutation{
		{
			name: "classes: a wish for fewer calls is a no", what: "a question whose reading is put off is answered with its text",
			at: "class-busy", do: returns("Gone"), by: in("bot", "^TestMentionsWhoseReadsAreRefusedForNow$"),
		},
		{
			name: "classes: what nobody knows is a no", what: "a question whose reading gets an unknown code is answered with its text",
			at: "class-unknown", do: returns("NotAllowed"), by: in("bot", "^TestMentionsWhoseReadsAreRefusedForNow$"),
		},
		{
			name: "classes: what nobody knows undoes an action", what: "an action that got an unknown code is reconciled before it is sent again",
			at: "undone", do: always, by: in("bot", "^TestMessageTakenWithAnUnknownCode$"),
		},
	}
}

// cursorParts are mutations of what is done about ids where none can be.
func cursorParts() []mutation {
	return []mutation{
		{
			name: "cursors: every id is believed", what: "one absurd id does not stop a list",
			at: "leap", do: never, by: in("bot", "^TestNotificationWithAnAbsurdID$"),
		},
		{
			name: "cursors: every id is believed, in a chat", what: "one absurd id does not make a chat late",
			at: "leap", do: never, by: in("bot", "^TestMessageWithAnAbsurdID$"),
		},
		{
			name: "cursors: every id is believed, among workloads", what: "the simulator sees what an absurd id does",
			at: "leap", do: never, by: among("ghost"),
		},
		{
			name: "cursors: what is shown again is sure", what: "an id that leaps is not believed because it lasts",
			at: "shown-again", do: never, by: in("bot/internal/leap", "^TestLevel"),
		},
		{
			name: "cursors: a row that comes to its own id is news", what: "nothing is answered twice that shows two ids",
			at: "odd-reconciled", do: always, by: in("bot", "^TestMessageWithAnAbsurdID$"),
		},
		{
			name: "cursors: a row that comes to an absurd id is news", what: "nothing is answered twice that shows two ids",
			at: "odd-earlier", do: never, by: in("bot", "^TestAnsweredMessageThatShowsAnAbsurdID$"),
		},
		{
			name: "cursors: what was believed is forgotten", what: "a row whose id was believed is not answered again",
			at: "odd-restore", do: always, by: in("bot", "^TestFirstMessageWithAnAbsurdID$"),
		},
		{
			name: "cursors: a row shows two ids at most", what: "nothing is answered twice that shows three ids",
			at: "odd-moves", do: never, by: in("bot", "^TestMessageThatShowsTwoAbsurdIDs$"),
		},
		{
			name: "cursors: what was missed for long shows no other id", what: "a message that comes to show its own id where nobody looks is answered once",
			at: "odd-passed", do: swap("e.ID.Number <= passed", "false"), by: in("bot", "^TestAbsurdNumberFoundLate$"),
		},
		{
			name: "cursors: what counts as the same is handled", what: "nothing is answered twice that shows two ids",
			at: "same", do: always, by: in("bot", "^TestMessageWithAnAbsurdID$"),
		},
		{
			name: "cursors: a list stands still", what: "a cursor of an earlier version that stands too high",
			at: "list-recheck", do: always, by: in("bot", "^TestPoisonedDatabase$"),
		},
		{
			name: "cursors: a chat stands still", what: "a cursor of an earlier version that stands too high",
			at: "chat-recheck", do: never, by: in("bot", "^TestPoisonedDatabase$"),
		},
		{
			name: "cursors: set back in memory alone", what: "what was set back stays so over a restart",
			at: "cursor-back", do: swap("c.Back", "false"), by: in("bot/internal/store", "/a_cursor_is_set_back"),
		},
		{
			name: "cursors: retention stands above them", what: "what an absurd number was deleted with is not the end",
			at: "low-water-above", do: never, by: in("bot/internal/store", "^TestRetentionBelowAbsurdNumbers$"),
		},
		{
			name: "cursors: answers are looked for above every id", what: "a lost answer behind an absurd id is found",
			at: "baseline-believed", do: always, by: in("bot", "^TestLostAnswerBehindAnAbsurdID$"),
		},
		{
			name: "cursors: own words stand above every id", what: "own words behind an absurd id are known after a restart",
			at: "sends-rise", do: always, by: in("bot", "^TestSnapshotOfOwnWordsBehindAnAbsurdID$"),
		},
		{
			name: "cursors: nobody reads again", what: "nectar audit --repair while the bot runs",
			at: "read-again", do: drop, by: in("bot", "^TestReread$"),
		},
	}
}
