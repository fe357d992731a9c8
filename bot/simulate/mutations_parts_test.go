package simulate_test

import "slices"

// in is a proof in the tests of a package.
func in(pkg, run string) proof { return proof{pkg: pkg, run: run} }

// parts are mutations that switch off one mechanism each, with the test that has to notice.
func parts() []mutation {
	return slices.Concat(settlingParts(), pollingParts(), sessionParts(), laneParts(), takeoverParts(), weatherParts(), deafParts(), deskParts(), ruleParts(), guestParts(), visitorParts(), crashParts(), pathParts(), outboxParts(), fileParts(), snapshotParts())
}

func settlingParts() []mutation {
	return []mutation{
		{
			name: "settling: unsure is tried again", what: "settling of unsure actions",
			file: "bot/outbox/outcome.go", by: in("bot", "^TestSettled$"),
			old: "	case platform.Unsure(err):\n		return unsure",
			new: "	case platform.Unsure(err):\n		return nothing",
		},
		{
			name: "settling: a toggle does not look", what: "a toggle beside the phone",
			file: "bot/outbox/toggle.go", by: in("bot", "^TestToggleBesideThePhone"),
			old: "	if now.is(it.Want) {\n		it.reached(now, \"it was so already\")",
			new: "	if false {\n		it.reached(now, \"it was so already\")",
		},
		{
			name: "settling: a deletion does not wait", what: "what is deleted before it is settled is not made again",
			file: "bot/outbox/carry.go", by: in("bot", "^TestDeletedBeforeItIsSettled"),
			old: "it.Verb.Deletes() && !b.afterMakers(ctx, ch, it) || ", new: "",
		},
		{
			name: "settling: twins are one", what: "twins of the same text",
			file: "bot/outbox/product.go", by: in("bot", "^TestSettledTwins"),
			old: "return known[p.id] })", new: "return known == nil })",
		},
		{
			name: "settling: what was held is forgotten at a start", what: "a held message of an earlier life is no takeover",
			file: "bot/outbox/recall.go", by: in("bot", "^TestHeldIsNoTakeoverOverARestart$"),
			old: "		b.keepHeld(&held[i])\n", new: "		_ = held[i]\n",
		},
		{
			name: "settling: a changed text is not there", what: "texts that the platform changes",
			file: "bot/outbox/settle.go", by: in("bot/outbox", "^TestTextsThat"),
			old: "b.rewrites.Load() || alike(it.Text, p.text)", new: "false && p.id == 0",
		},
	}
}

func pollingParts() []mutation {
	return []mutation{
		{
			name: "polling: a row is marked by its old place", what: "a chat that is read later than its hint",
			file: "bot/poll/read.go", by: in("bot/poll", "^TestChatReadLaterThanItsHint"),
			old: "	in.locate(jobs)\n", new: "",
		},
		{
			name: "polling: one page of notifications", what: "bursts larger than a page",
			file: "bot/poll/list.go", by: in("bot", "^TestBurstBetweenTwoPolls$/capped"),
			old: "l.started && low <= s.end", new: "l.started",
		},
		{
			name: "polling: one page of messages", what: "a page that shows the newest messages",
			file: "bot/poll/reading.go", by: in("bot", "^TestBurstBetweenTwoPolls$/newest"),
			old: "		b.whole = b.low <= b.from\n", new: "		b.whole = true\n",
		},
		{
			name: "polling: no sweep", what: "messages that no hint shows",
			file: "bot/poll/read.go", by: in("bot", "^TestMessageThatTheChatListDoesNotShow"),
			old: "if in.nextSweep.IsZero() || in.nextSweep.After(c.began) {", new: "if true {",
		},
		{
			name: "polling: no snapshots", what: "a deployment without get_messages",
			file: "bot/poll/inbox.go", by: in("bot", "^TestWithoutGetMessages"),
			old: "			in.snapshots = newSnapshots()\n			in.reconsider()\n", new: "",
		},
		{
			name: "polling: the audit counts nothing", what: "nectar audit",
			file: "bot/audit/audit.go", by: in("bot/audit", "^TestMissingEvents"),
			old: "			c.Missing++\n", new: "",
		},
	}
}

func sessionParts() []mutation {
	return []mutation{
		{
			name: "sessions: everybody renews", what: "one renewal for all who wait",
			file: "platform/session/broker.go", by: in("bot", "^TestASessionEndsInTheMiddle$"),
			old: "if b.flight == nil && (!usable ||", new: "if (!usable ||",
		},
		{
			name: "sessions: no new sign-in", what: "a refresh token that is dead",
			file: "platform/session/renew.go", by: in("bot", "^TestASessionEndsInTheMiddle$"),
			old: "		case refreshRefused(err):\n", new: "		case refreshRefused(err):\n			return k, \"refresh\", err\n",
		},
		{
			name: "sessions: pauses do not grow", what: "a wrong password is not hammered",
			file: "platform/session/pause.go", by: in("bot", "^TestAWrongPasswordForAWhile$"),
			old: "if d *= 2; d >= most {", new: "if d >= least {",
		},
		{
			name: "sessions: never parked", what: "a social sign-in that cannot be renewed",
			file: "platform/session/pause.go", by: in("bot", "^TestASocialSignInThatCannotBeRenewed$"),
			old: "return p != nil && (p.reason == forGood || now.Before(p.until))", new: "return p != nil && now.Before(p.until)",
		},
		{
			name: "sessions: a second 400 is believed", what: "a session that ends twice in a row",
			file: "platform/call.go", by: in("platform", "^TestRefusedSessionIsRenewedOnce$"),
			old: "		case stale && again: //", new: "		case false: //",
		},
	}
}

func laneParts() []mutation {
	return []mutation{
		{
			name: "poison: a hanging handler keeps its lane", what: "a handler that hangs",
			file: "bot/lane.go", by: in("bot", "^TestHandlerThatHangs"),
			old: "func() { b.abandon(ctx, l, r, it) })", new: "func() {})",
		},
		{
			name: "poison: what cannot be stored is tried for ever", what: "a turn that cannot be stored",
			file: "bot/lane.go", by: in("bot", "^TestPoison"),
			old: "it.unfit = errors.Is(r.Err, store.ErrUnfit)", new: "it.unfit = false && errors.Is(r.Err, store.ErrUnfit)",
		},
		{
			name: "poison: no quarantine", what: "quarantine after tries and age",
			file: "bot/attempt.go", by: in("bot", "^TestQuarantineLasts"),
			old: "Quarantined: last,", new: "Quarantined: false,",
		},
		{
			name: "poison: lanes begin with the newest", what: "order and exactness of a lane",
			file: "bot/lane.go", by: in("bot", "^TestLanesCountLikeTheirModel$"),
			old: "	l.queue = append(l.queue, it)\n	b.start(ctx, l)",
			new: "	if len(l.queue) > 1 {\n		l.queue = append(l.queue[:1:1], append([]*item{it}, l.queue[1:]...)...)\n	} else {\n		l.queue = append(l.queue, it)\n	}\n	b.start(ctx, l)",
		},
	}
}

func takeoverParts() []mutation {
	return []mutation{
		{
			name: "takeover: the bot goes on", what: "human takeover",
			file: "bot/turn.go", by: in("bot", "^TestTakeoverInAFlow"),
			old: "		t.takeOver(b.cfg.TakeoverFor)", new: "		_ = b.cfg.TakeoverFor",
		},
		{
			name: "takeover: what is unsure counts as a person's", what: "own sends never trigger a takeover",
			file: "bot/takeover.go", by: in("bot", "^TestUnsureIsNoTakeover"),
			old: "if a.box.Busy(s.peer) {", new: "if false && a.box.Busy(s.peer) {",
		},
		{
			name: "loops: no ceiling", what: "two bots that answer each other",
			file: "bot/turn.go", by: in("bot", "^TestTwoBotsStop"),
			old: "b.cfg.Ceiling.claim(t) ", new: "_ = t ",
		},
		{
			name: "loops: the bot is its own peer", what: "accounts of one bot",
			file: "bot/ourselves.go", by: in("bot", "^TestAccountsOfOneBot"),
			old: "); !ours {", new: "); ours || !ours {",
		},
	}
}

func weatherParts() []mutation {
	return []mutation{
		{
			name: "weather: no back-off", what: "an outage is no busy loop",
			file: "bot/poll/health.go", by: in("bot", "^TestWeather$/down"),
			old: "return min(pause, longestBackOff)", new: "return base",
		},
		{
			name: "weather: Retry-After is not heeded", what: "429 with Retry-After",
			file: "bot/poll/health.go", by: in("bot", "^TestWeather$/429"),
			old: "h.retryAt = now.Add(max(backOff(min(cfg.Interval, time.Second), h.fails), retryAfter(err)))",
			new: "h.retryAt = now.Add(backOff(min(cfg.Interval, time.Second), h.fails))",
		},
		{
			name: "weather: an outage counts as waiting", what: "nothing is held because of an outage",
			file: "bot/account.go", by: in("bot", "^TestWeather$"),
			old: "Out: a.out,", new: "",
		},
		{
			name: "weather: a full disk fills the log", what: "one line per change of state",
			file: "bot/store/faults.go", by: in("bot", "^TestAFullDisk$"),
			old: "if f.inARow++; !f.told {", new: "if f.inARow++; true {",
		},
		{
			name: "weather: a write that fits is the end of a full disk", what: "one line per change of state",
			file: "bot/store/faults.go", by: in("bot/store", "^TestAnAlmostFullDisk$"),
			old: "left > 0 {", new: "left > steady {",
		},
		{
			name: "weather: acts without a commit", what: "a full disk",
			file: "bot/lane.go", by: in("bot", "^TestAFullDisk$"),
			old: "	if r.Err == nil && !r.Dropped {", new: "	if !r.Dropped {",
		},
		{
			name: "weather: only the first page follows the clock", what: "order after a clock that was set back",
			file: "bot/outbox/clock.go", by: in("bot/outbox", "^TestClockSetBackOverRestarts$"),
			old: "	b.lastDue = last\n", new: "",
		},
		{
			name: "weather: the clock is believed", what: "a clock that was set back",
			file: "bot/outbox/box.go", by: in("bot", "^TestAClockThatJumps$"),
			old: "if err := b.catchUp(ctx, now); err != nil {", new: "if ctx == nil {",
		},
	}
}

func deafParts() []mutation {
	return []mutation{
		{
			name: "deafness: nobody watches", what: "the watchdog",
			file: "bot/bot.go", by: in("bot", "^TestDeafSource$"),
			old: "	own.Go(func() { b.watchHealth(ctx) })\n", new: "",
		},
		{
			name: "deafness: a still list is fine", what: "a list that stands still",
			file: "bot/poll/ear.go", by: in("bot", "^TestDeafSource$"),
			old: "		return DeafStill, e.still.since\n", new: "		return \"\", 0\n",
		},
	}
}

func deskParts() []mutation {
	return []mutation{
		{
			name: "desk: nobody takes requests up", what: "what people decide",
			file: "bot/bot.go", by: in("bot", "^TestRequestsWaitForABot$"),
			old: "	own.Go(func() { b.runRequests(ctx, lanes) })\n", new: "",
		},
		{
			name: "desk: a retry is not tried", what: "quarantined events are tried again in order",
			file: "bot/lane.go", by: in("bot", "^TestRetryAfterQuarantine$"),
			old: "		b.tryAgain(ctx, l.account, out.Retry)\n", new: "",
		},
		{
			name: "desk: a decision waits its turn", what: "a person gets in although a turn fails again and again",
			file: "bot/lane.go", by: in("bot", "^TestDecisionsPassAStuckTurn$"),
			old: "if !l.decided {", new: "if true {",
		},
	}
}
