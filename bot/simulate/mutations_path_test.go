package simulate_test

// pathParts are mutations of the way of an event from the poll to its commit, where two things must meet that
// seldom do, and of retention.
func pathParts() []mutation {
	return []mutation{
		{
			name: "path: a new life reads no list again", what: "a notification that is shown late, over a restart",
			file: "bot/poll/list.go", by: in("bot/poll", "^TestRowsThatAreShownLateOverARestart$"),
			old: "l.loaded, l.started, l.again = true, found, found", new: "l.loaded, l.started = true, found",
		},
		{
			name: "path: a new life reads no chat again", what: "a message that is shown late, over a restart",
			file: "bot/poll/overlap.go", by: in("bot/poll", "^TestRowsThatAreShownLateOverARestart$"),
			old: "	return platform.MessageID(cursor.ID) > in.watermark &&", new: "	return false &&",
		},
		{
			name: "path: a timer's try leaves nothing", what: "what a failed try of a timer recorded is not done again after a crash",
			file: "bot/attempt.go", by: in("bot", "^TestFactsOfATryOverCrashes$"),
			old: "		b.keepFacts(l, it, now)\n", new: "		_ = now\n",
		},
		{
			name: "path: who waits for the platform has recorded nothing", what: "the same while a turn waits for the platform",
			file: "bot/attempt.go", by: in("bot", "^TestFactsOfATryOverCrashes$"),
			old: "		b.keepFacts(l, it, time.Now())\n", new: "",
		},
		{
			name: "path: a timer that is set anew keeps what its tries recorded", what: "nothing of a timer that is gone stays for ever",
			file: "bot/store/sqlite_turn.go", by: in("bot/store", "^TestSQLite$"),
			old: "	err := a.untryTimer(t)\n", new: "	var err error\n",
		},
		{
			name: "path: a lane is mended and left alone", what: "a conversation goes on behind a turn that was refused",
			file: "bot/lane.go", by: in("bot", "^TestLane(BeginsAnew|GoesOn)Behind"),
			old: "	defer b.start(ctx, l) // what came back may be all there is\n", new: "",
		},
		{
			name: "path: what has returned is left behind", what: "nothing is lost behind a handler that returns in the last instant",
			file: "bot/attempt.go", by: in("bot", "^TestHandlerThatReturnsAsItIsLeftBehind$"),
			old: "	if l.running != r || r.item != it {", new: "	if l.running != r {",
		},
		{
			name: "path: to wait for a slot is a failure", what: "nothing is quarantined since a platform is silent",
			file: "bot/attempt.go", by: in("bot", "^TestManyTurnsWaitForASilentPlatform$"),
			old: " || errors.As(err, new(slotError))", new: "",
		},
		{
			name: "path: a turn waits for ever", what: "a post that can never be read stops its conversation for a while only",
			file: "bot/attempt.go", by: in("bot", "^TestPostThatCanNeverBeRead$"),
			old: "outside(err) && !it.hopeless(l.account, err)", new: "outside(err)",
		},
		{
			name: "path: an outage is the event's fault", what: "nothing is quarantined since a platform is out",
			file: "bot/attempt.go", by: in("bot", "^TestOutageIsNobodysFault$"),
			old: "platform.ErrServer) || a.out() {", new: "platform.ErrServer) {",
		},
		{
			name: "path: a backlog is stored at leisure", what: "what was unread before a first start is answered over a crash",
			file: "bot/ingest.go", by: in("bot", "^TestCrashInAFirstStart$"),
			old: "		backlog := c.Source == event.Messages && c.Peer != 0 && c.ID == 0\n", new: "		backlog := false\n",
		},
		{
			name: "path: what waits takes room", what: "a flood behind a turn that fails delays nobody",
			file: "bot/ingest.go", by: in("bot", "^TestFloodBehindATurnThatFails$"),
			old: "	if in.seen[id] == polled {\n", new: "	if false {\n",
		},
		{
			name: "path: a turn that begins anew has forgotten", what: "what a turn has recorded is not done again",
			file: "bot/lane.go", by: in("bot", "^TestFactsOfATurnThatBeginsAnew$"),
			old: "		r.item.facts = out.Facts\n", new: "		_ = out.Facts\n",
		},
		{
			name: "path: a timer that is tried again has forgotten", what: "what a timer's turn has recorded is not done again",
			file: "bot/attempt.go", by: in("bot", "^TestFactsOfATurnThatBeginsAnew$"),
			old: "		it.facts = try.facts\n", new: "		_ = try.facts\n",
		},
		{
			name: "path: a clock that is ahead uses up limits", what: "uses of a limit count on when a clock is set right",
			file: "bot/store/sqlite_claim.go", by: in("bot/store", "^TestSQLite$"),
			old: ".at(at.Add(-min(c.Within, clockSlack))).run()", new: ".at(at).run()",
		},
		{
			name: "path: timers of all accounts share the room", what: "timers of an account ring whatever those of another one wait for",
			file: "bot/timers.go", by: in("bot", "^TestTimersOfAnotherAccount$"),
			old: "ts.ahead[t.Key.Account] >= timersAhead", new: "len(ts.flying) >= timersAhead",
		},
		{
			name: "guest oldtimer: retention takes what is quarantined", what: "what is quarantined waits for a person",
			file: "bot/store/sqlite_keep_event.go", by: among("oldtimer"),
			old: "if err != nil || r.state != EventHandled || r", new: "if err != nil || r",
		},
		{
			name: "guest oldtimer: retention takes what is held", what: "what is held waits for a person",
			file: "bot/store/sqlite_keep.go", by: among("oldtimer"),
			old: " || !event.State(r.state).Final() {", new: " {",
		},
	}
}
