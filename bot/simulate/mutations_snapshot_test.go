package simulate_test

// snapshotParts are mutations of what is done where there is no get_messages.
func snapshotParts() []mutation {
	return []mutation{
		{
			name: "snapshots: own words of earlier lives are forgotten", what: "the bot does not answer itself after a start",
			file: "bot/poll/snapshot_sends.go", by: in("bot", "^TestSnapshotOfOwnWordsAtAStart$"),
			old: "		c.sends.recall(said)\n", new: "		_ = said\n",
		},
		{
			name: "snapshots: what is open is not recalled", what: "the bot does not answer what it was saying when it died",
			file: "bot/snapshot_own.go", by: in("bot", "^TestSnapshotOfOwnWordsAtAStart$"),
			old: "append(held, open...)", new: "append(held, open[:0]...)",
		},
		{
			name: "snapshots: rows do not settle", what: "what is unsure is settled by the chat list",
			file: "bot/outbox/settle.go", by: in("bot", "^TestSettledByTheChatList$"),
			old: "b.row(&suspects[0].Action); listed {", new: "b.row(&suspects[0].Action); listed && false {",
		},
		{
			name: "snapshots: whoever wrote hides nothing", what: "our words are told from theirs",
			file: "bot/outbox/row.go", by: in("bot", "^TestTheirWordsAreNotOurs$"),
			old: "uint16(r.Mark) > uint16(before), int16(r.Mark>>16-before>>16) > 0:", new: "false:",
		},
		{
			name: "snapshots: a twin leaves a trace", what: "a message that looks like the last one",
			file: "bot/outbox/row.go", by: in("bot", "^TestTwinOfTheLastMessage$"),
			old: "		if r.Shows {\n			return hidden\n		}\n		return below\n", new: "		return below\n",
		},
		{
			name: "snapshots: a twin that was there is it", what: "a row that was there before the message left",
			file: "bot/outbox/row.go", by: in("bot", "^TestRowsSettledByTheChatList$"),
			old: "case r.Open:", new: "case true:",
		},
		{
			name: "snapshots: an early look counts", what: "a request that arrives late",
			file: "bot/outbox/row.go", by: in("bot", "^TestSettledByTheChatList$"),
			old: "row.At.Before(late):", new: "row.At.Before(late) && misses > 9:",
		},
		{
			name: "snapshots: a start begins anew", what: "words from the owner's phone are not answered after a start",
			file: "bot/poll/snapshots.go", by: in("bot", "^TestSnapshotOfThePhone$"),
			old: "own.Mark != 0\n", new: "false\n",
		},
		{
			name: "snapshots: what is deleted brings news", what: "a message that comes to light again is not answered again",
			file: "bot/poll/snapshots.go", by: in("bot", "^TestSnapshotBehindADeletedMessage$"),
			old: "m.spoke = m.young ||", new: "m.spoke = true || m.young ||",
		},
		{
			name: "snapshots: whatever the age tells is told once", what: "a repeat whose delivery failed",
			file: "bot/poll/snapshots.go", by: in("bot/poll", "^TestSnapshotsThatOnlyTheAgeShows$"),
			old: "			r.state |= rowYounger\n", new: "",
		},
	}
}
