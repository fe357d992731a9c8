package simulate_test

// pauseParts are mutations of what people pause.
func pauseParts() []mutation {
	return []mutation{
		{
			name: "pause: what a rule decided leaves", what: "what a paused rule had decided waits",
			at: "aside", do: never, by: in("bot", "^TestPauseOfARule$"),
		},
		{
			name: "pause: one wish undoes another", what: "several wishes from before a start count from its beginning",
			at: "pause-beside", do: swap("a.pauses.now.Load().with(q, now)", "a.pauses.stored.with(q, now)"), by: in("bot", "^TestPausesBeforeAStart$"),
		},
		{
			name: "pause: a start forgets it", what: "a pause lasts over starts",
			at: "pause-restore", do: swap("&now", "&Pauses{}"), by: in("bot", "^TestPauseOf"),
		},
		{
			name: "pause: what is due leaves", what: "nothing of an account that is paused leaves",
			at: "pause-halt", do: drop, by: in("bot", "^TestPauseOfAnAccount$"),
		},
		{
			name: "pause: another reason to go on ends it", what: "an account goes on when nothing keeps it any more",
			at: "paused-and-rival", do: always, by: in("bot", "^TestPauseAndAnotherBot$"),
		},
		{
			name: "pause: handlers change conversations", what: "what comes in a pause is only recorded",
			at: "paused-route", do: never, by: in("bot", "^TestPauseOfAnAccount$"),
		},
		{
			name: "pause: what is decided in it leaves later", what: "what comes in a pause is never answered",
			at: "paused-action", do: never, by: in("bot", "^TestPauseOfAnAccount$"),
		},
		{
			name: "pause: a start forgets it, among workloads", what: "nothing that is paused leaves, over crashes",
			at: "pause-restore", do: swap("&now", "&Pauses{}"), by: among("pauser"),
		},
		{
			name: "pause: what is due leaves, among workloads", what: "nothing of an account that is paused leaves, over crashes",
			at: "pause-halt", do: drop, by: among("pauser"),
		},
		{
			name: "pause: what is decided in it leaves later, among workloads", what: "what comes in a pause is never answered",
			at: "paused-action", do: never, by: among("pauser"),
		},
		{
			name: "pause: what is held as it ends stays", what: "what waits because of a pause leaves when that is over",
			at: "held-too-late", do: never, by: in("bot", "^TestPauseThatEndsAsSomethingIsHeld$"),
		},
		{
			name: "pause: what is held as it ends stays after a crash", what: "what waits because of a pause leaves when that is over",
			at: "restore-late", do: drop, by: in("bot", "^TestPauseThatEndsAsSomethingIsHeld$"),
		},
		{
			name: "pause: what has become too late keeps its uses", what: "limits count what was said",
			at: "lapse-uses", do: swap("a.lapseUses.at(t.At).key(account).do()", "error(nil)"), by: in("bot", "^TestPauseGivesUsesBack$"),
		},
	}
}
