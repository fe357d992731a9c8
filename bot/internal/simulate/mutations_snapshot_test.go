package simulate_test

// snapshotParts are mutations of what is done where there is no get_messages.
func snapshotParts() []mutation {
	return []mutation{
		{
			name: "snapshots: own words of earlier incarnations are forgotten", what: "the bot does not answer itself after a start",
			at: "restore-own", do: drop, by: in("bot", "^TestSnapshotOfOwnWordsAtAStart$"),
		},
		{
			name: "snapshots: what is open is not recalled", what: "the bot does not answer what it was saying when it died",
			at: "restore-open", do: swap("open", "open[:0]"), by: in("bot", "^TestSnapshotOfOwnWordsAtAStart$"),
		},
		{
			name: "snapshots: rows do not reconcile", what: "what is in doubt is reconciled by the chat list",
			at: "reconcile-by-row", do: never, by: in("bot", "^TestReconciledByTheChatList$"),
		},
		{
			name: "snapshots: whoever wrote hides nothing", what: "our words are told from theirs",
			at: "whoever-wrote", do: each(alternative(2, 3, never), alternative(3, 3, never)), by: in("bot", "^TestTheirWordsAreNotOurs$"),
		},
		{
			name: "snapshots: a twin leaves a mark", what: "a message that looks like the last one",
			at: "row-twin", do: drop, by: in("bot", "^TestTwinOfTheLastMessage$"),
		},
		{
			name: "snapshots: a twin that was there is it", what: "a row that was there before the message left",
			at: "row-open", do: always, by: in("bot", "^TestRowsReconciledByTheChatList$"),
		},
		{
			name: "snapshots: an early look counts", what: "a request that arrives late",
			at: "early-look", do: never, by: in("bot", "^TestReconciledByTheChatList$"),
		},
		{
			name: "snapshots: a start begins anew", what: "words from the owner's phone are not answered after a start",
			at: "snapshots-begin", do: swap("own.Mark != 0", "false"), by: in("bot", "^TestSnapshotOfThePhone$"),
		},
		{
			name: "snapshots: what is deleted brings news", what: "a message that comes to light again is not answered again",
			at: "deleted-news", do: always, by: in("bot", "^TestSnapshotBehindADeletedMessage$"),
		},
		{
			name: "snapshots: whatever the age tells is told once", what: "a repeat whose delivery failed",
			at: "age-told", do: drop, by: in("bot/internal/poll", "^TestSnapshotsThatOnlyTheAgeShows$"),
		},
		{
			name: "snapshots: one list proves that a chat is gone", what: "lists that lag bring no news",
			at: "two-lists", do: always, by: in("bot/internal/poll", "^TestSnapshotsOfListsThatLag$"),
		},
		{
			name: "snapshots: a list without rows is believed", what: "lists that lag bring no news",
			at: "blank", do: never, by: in("bot/internal/poll", "^TestSnapshotsOfListsThatLag$"),
		},
		{
			name: "snapshots: what comes back is new", what: "lists that lag bring no news",
			at: "lagged", do: never, by: in("bot/internal/poll", "^TestSnapshotsOfListsThatLag$"),
		},
		{
			name: "snapshots: that a chat was gone is forgotten", what: "somebody who deletes the chat and writes again is heard",
			at: "gone-mark", do: field("mark", swap("goneMark(old.count)", "old.mark")),
			by: proof{"bot/internal/simulate", "^TestSnapshotSeeds$", []string{"-seeds", "200", "-shrink=false"}},
		},
		{
			name: "snapshots: words of the last minute are old", what: "somebody who deletes the chat and writes again at once is heard",
			at: "deleted-news", do: without(5, 5), by: in("bot/internal/poll", "^TestSnapshotOfAChatWrittenAgainAtOnce$"),
		},
		{
			name: "snapshots: two lists prove that a chat is gone", what: "a chat that comes back as it was brings no news",
			at: "lagged-alike", do: without(2, 2), by: in("bot/internal/poll", "^TestSnapshotsOfListsThatLagTwice$"),
		},
		{
			name: "snapshots: what comes back is theirs", what: "what stands behind our words is not answered again",
			at: "back-whose", do: never, by: in("bot/internal/poll", "^TestSnapshotsOfListsThatLagTwice$"),
		},
		{
			name: "snapshots: what left twice may arrive twice", what: "who says our words later is heard",
			at: "sends-again", do: replace("_ = open"), by: in("bot/internal/poll", "^TestSnapshotOfWordsThatLeftTwice$"),
		},
		{
			name: "snapshots: nobody asks what was told", what: "an event that was stored without its cursor",
			at: "told-before", do: never, by: in("bot/internal/poll", "^TestSnapshotThatWasStoredWithoutItsCursor$"),
		},
		{
			name: "snapshots: a crash loses the count alone", what: "words said again after a crash are heard",
			at: "cursor-with-events", do: always, by: in("bot", "^TestSnapshotOfWordsToldBeforeACrash$"),
		},
		{
			name: "snapshots: what was deleted while down is there", what: "somebody who deletes the chat while the bot is down is heard",
			at: "bury-unlisted", do: swap("s.buryUnlisted(ctx, c)", "nil"), by: in("bot", "^TestSnapshotOfAChatDeletedWhileDown$"),
		},
		{
			name: "snapshots: old words of ours reconcile", what: "a person who says our words is not taken for what was there before",
			at: "old-words", do: without(2, 2), by: in("bot", "^TestTheirWordsAreNotWhatWasThereBefore$"),
		},
		{
			name: "snapshots: no clock counts over a start", what: "the same words said again while the bot was down",
			at: "said-anew", do: never,
			by: in("bot/internal/poll", "^TestSnapshotOfTheSameWordsOverAStart$"),
		},
	}
}
