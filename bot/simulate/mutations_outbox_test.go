package simulate_test

// outboxParts are mutations that the tests of the outbox notice.
func outboxParts() []mutation {
	return []mutation{
		{
			name: "outbox: a second request left with the first", what: "a session that ends in the middle doubles no message",
			file: "bot/outbox/carry.go", by: in("bot/outbox", "^TestSecondRequestThatArrivesLate$"),
			old: "		it.left = repeated.Left\n", new: "		_ = repeated.Left\n",
		},
		{
			name: "outbox: only messages are held", what: "a later twin of a held post",
			file: "bot/outbox/held.go", by: in("bot/outbox", "^TestTwinDecidedAfterAHeldOne$"),
			old: "	if !a.Verb.Makes() ||", new: "	if a.Verb != event.VerbMessage ||",
		},
		{
			name: "outbox: only messages are taken up as held", what: "a later twin of a post that an earlier life held",
			file: "bot/store/reader_action.go", by: in("bot/store", "^TestSQLite"),
			old: "verb IN ('message', 'post')", new: "verb = 'message'",
		},
		{
			name: "outbox: what a person decided about is forgotten", what: "a later twin of a held post that a person dropped or released",
			file: "bot/store/sqlite_request.go", by: in("bot/store", "^TestSQLite"),
			old: "a.stray.at(at).key(x.Account).str(x.Key).run()", new: "a.stray.at(at).key(x.Account).str(\"\").run()",
		},
		{
			name: "outbox: strays are not taken up", what: "the same after a start",
			file: "bot/outbox/recall.go", by: in("bot/outbox", "^TestTwinOfWhatAPersonDecidedAbout$"),
			old: "		b.keepHeld(&held[i])\n", new: "		_ = held[i]\n",
		},
		{
			name: "outbox: a guess is the truth", what: "a twin of what a held one became",
			file: "bot/outbox/chain.go", by: in("bot/outbox", "^TestTwinOfWhatAHeldOneBecame$"),
			old: "(it.State == event.StateHeld || it.State == event.StateDone && it.Result == 0)", new: "(it.Result == 0)",
		},
		{
			name: "outbox: a reply settles from what it answers alone", what: "a twin behind a held reply",
			file: "bot/outbox/anchor.go", by: in("bot/outbox", "^TestReplyBehindAHeldOne$"),
			old: "max(int64(it.Post), floor)", new: "int64(it.Post)",
		},
		{
			name: "outbox: what was held may be anything for ever", what: "a person who writes what was held is noticed",
			file: "bot/outbox/held.go", by: in("bot/outbox", "^TestWhatMayBeAHeldOne$"),
			old: "(h.upto == 0 || int64(id) <= h.upto)", new: "true",
		},
		{
			name: "outbox: a later text is never what became of an earlier one", what: "texts that become twins",
			file: "bot/outbox/settle.go", by: in("bot/outbox", "^TestTextThatBecomesTheNext$"),
			old: "len(missing) > n && b.becomes", new: "false && b.becomes",
		},
		{
			name: "outbox: what was there before is found", what: "a twin that was there before",
			file: "bot/outbox/settle.go", by: in("bot/outbox", "^TestTwinThatWasThereBefore$"),
			old: "return p.id > it.SettleFrom && sameText", new: "return sameText",
		},
		{
			name: "outbox: patience begins anew", what: "nothing holds back its conversation for ever",
			file: "bot/outbox/carry.go", by: in("bot/outbox", "^TestPatienceIsNotRenewed$"),
			old: "	if !counts {\n", new: "	if !counts {\n		it.waited = 0\n",
		},
		{
			name: "outbox: one denial is believed", what: "a session that ends at the wrong moment loses no action",
			file: "bot/outbox/carry.go", by: in("bot/outbox", "^TestUnauthorizedAfterTroubles$"),
			old: "waited-it.allowed >= believe", new: "waited >= believe",
		},
		{
			name: "outbox: what left unread is found", what: "a twin that nobody could read before it left",
			file: "bot/outbox/settle.go", by: in("bot/outbox", "^TestWhatLeavesUnread$"),
			old: "n < 0 || it.SettleFrom == vague", new: "n < 0",
		},
		{
			name: "outbox: a call on its way opens the gate", what: "Retry-After holds for the whole account",
			file: "bot/outbox/gate.go", by: in("bot/outbox", "^TestRetryAfterOnTheWay$"),
			old: "	if now.Before(g.asked) {", new: "	if false {",
		},
		{
			name: "outbox: who waits for a slot does not look again", what: "Retry-After holds for the whole account",
			file: "bot/outbox/carry.go", by: in("bot/outbox", "^TestRetryAfterOnTheWay$"),
			old: "	case closed:\n", new: "	case closed && false:\n",
		},
		{
			name: "outbox: a parked session counts as waiting", what: "nothing is held because nobody could ask",
			file: "bot/outbox/outcome.go", by: in("bot/outbox", "^TestPatienceWaitsForTheSession$"),
			old: "b.gate.fail(now, wait, deaf)", new: "b.gate.fail(now, wait, deaf && false)",
		},
		{
			name: "outbox: priorities count again after a stop", what: "what was released leaves in that order",
			file: "bot/outbox/chain.go", by: in("bot/outbox", "^TestPrioritiesOverAStop$"),
			old: "it.State, it.Priority, it.Due = event.StateDue, event.Answer,", new: "it.State, it.Due = event.StateDue,",
		},
		{
			name: "outbox: an earlier wish cannot arrive any more", what: "the last wish wins, over a crash",
			file: "bot/outbox/settle.go", by: in("bot/outbox", "^TestEarlierWishThatArrivesLate$"),
			old: "suspects[0].Verb.Toggle() && len(suspects) > 1", new: "false",
		},
		{
			name: "outbox: a message is over before that is told", what: "the bot's own messages are no person's",
			file: "bot/outbox/chain.go", by: in("bot/outbox", "^TestBusyUntilItsEndIsTold$"),
			old: "	b.courier.cfg.Ended(it.Action) // before Busy says that it is over\n	b.mu.Lock()\n	defer b.mu.Unlock()\n",
			new: "	defer b.courier.cfg.Ended(it.Action)\n	b.mu.Lock()\n	defer b.mu.Unlock()\n",
		},
		{
			name: "outbox: only the next one is anchored anew", what: "a first answer without an id",
			file: "bot/outbox/anchor.go", by: in("bot/outbox", "^TestTurnsBeside"),
			old: "!x.suspect && (x.adrift || x.SettleFrom < known)", new: "x.adrift || x.SettleFrom == 0",
		},
		{
			name: "outbox: what comes late is not anchored anew", what: "a first answer without an id",
			file: "bot/outbox/anchor.go", by: in("bot/outbox", "^TestTurnsBeside"),
			old: "it.SettleFrom >= floor && ", new: "floor >= 0 && ",
		},
	}
}
