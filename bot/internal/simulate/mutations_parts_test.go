package simulate_test

import "slices"

// in is a proof in the tests of a package.
func in(pkg, run string) proof { return proof{pkg: pkg, run: run} }

// parts are mutations that switch off one mechanism each, with the test that has to notice.
func parts() []mutation {
	return slices.Concat(
		termParts(),
		reconcilingParts(), pollingParts(), sessionParts(), laneParts(), takeoverParts(), faultParts(), healthParts(), inspectorParts(),
		ruleParts(), workloadParts(), visitorParts(), crashParts(), recorderParts(), suspectParts(), offerParts(), deliveryParts(), pathParts(), outboxParts(), fileParts(), snapshotParts(),
		unclearParts(), textParts(),
		postgresParts(),
		leaseParts(),
		budgetParts(),
		workerParts(),
		unattributedParts(),
		calledParts(),
		endlessParts(), pagesParts(),
		codelessParts(),
		ownerParts(),
		caretakerParts(),
		rivalParts(), copyParts(), serverParts(),
		timerParts(),
		clockParts(),
		lateParts(),
		classParts(),
		cursorParts(),
		listParts(),
		sealedParts(),
		forgetParts(),
		heldBackParts(),
		askParts(),
		wordParts(), folderParts(), campaignFileParts(), campaignTruthParts(), campaignFaultParts(),
		pauseParts(),
		untilParts(),
		renewParts(),
		ageParts(),
		demoParts(),
		moveParts(),
		publishingParts(),
		ownParts(),
		slotParts(),
		editParts(),
		rehearsals(),
		planParts(),
		marketerParts(),
	)
}

func reconcilingParts() []mutation {
	return []mutation{
		{
			name: "reconciling: in doubt is tried again", what: "reconciling actions in doubt",
			at: "in-doubt", do: returns("nothing"), by: in("bot", "^TestReconciled$"),
		},
		{
			name: "reconciling: a toggle does not look", what: "a toggle beside the phone",
			at: "toggle-look", do: never, by: in("bot", "^TestToggleBesideThePhone"),
		},
		{
			name: "reconciling: a deletion does not wait", what: "what is deleted before it is reconciled is not made again",
			at: "deletion-waits", do: without(1, 2), by: in("bot", "^TestDeletedBeforeItIsReconciled"),
		},
		{
			name: "reconciling: twins are one", what: "twins of the same text",
			at: "known-results", do: inner(replace("known == nil")), by: in("bot", "^TestReconciledTwins"),
		},
		{
			name: "reconciling: what was held is forgotten at a start", what: "a held message of an earlier incarnation is no takeover",
			at: "take-up-held", do: drop, by: in("bot", "^TestHeldIsNoTakeoverOverARestart$"),
		},
		{
			name: "reconciling: a changed text is not there", what: "texts that the platform changes",
			at: "becomes", do: operand(2, 2, each(without(2, 3), without(3, 3))), by: in("bot/internal/outbox", "^TestTextsThat"),
		},
	}
}

func pollingParts() []mutation {
	return []mutation{
		{
			name: "polling: a row is not marked as read", what: "what stays unread after a reading is no news",
			at: "locate", do: never, by: in("bot/internal/poll", "^TestLivelyPeopleAreHeardWithoutSweeps$"),
		},
		{
			name: "polling: one page of notifications", what: "bursts larger than a page",
			at: "list-whole", do: swap("low <= d.end", "true"), by: in("bot", "^TestBurstBetweenTwoPolls$/capped"),
		},
		{
			name: "polling: one page of messages", what: "a page that shows the newest messages",
			at: "chat-whole", do: swap("low <= d.until", "true"), by: in("bot", "^TestBurstBetweenTwoPolls$/newest"),
		},
		{
			name: "polling: no sweep", what: "messages that no hint shows",
			at: "sweep", do: always, by: in("bot", "^TestMessageThatTheChatListDoesNotShow"),
		},
		{
			name: "polling: no snapshots", what: "a deployment without get_messages",
			at: "no-messages", do: drop, by: in("bot", "^TestWithoutGetMessages"),
		},
		{
			name: "polling: what waits to be read is left behind", what: "a deployment without get_messages",
			at: "exchange-waiting", do: never, by: in("bot/internal/poll", "^TestPlatformWithoutGetMessages$"),
		},
		{
			name: "polling: a chat waits for a read for ever", what: "timers where get_messages was given up",
			at: "forget-waiting", do: drop, by: in("bot/internal/poll", "^TestHeardWithoutGetMessages$"),
		},
		{
			name: "polling: the audit counts nothing", what: "nectar audit",
			at: "audit-missing", do: drop, by: in("bot/audit", "^TestMissingEvents"),
		},
	}
}

func sessionParts() []mutation {
	return []mutation{
		{
			name: "sessions: got in vain, and got again at once", what: "a platform that accepts no session is left alone",
			at: "sessions-in-vain", do: always, by: in("platform/session", "^TestSessionsThatAreNeverAccepted$"),
		},
		{
			name: "sessions: one that served counts as got in vain", what: "who is answered is not kept waiting for the next session",
			at: "session-served", do: never, by: in("platform/session", "^TestASessionThatServedWasNotGotInVain$"),
		},
		{
			name: "sessions: what strangers see is proof", what: "a platform that accepts no session is left alone",
			at: "session-proof", do: swap("req.access == protected", "req.access != public"), by: in("platform/session", "^TestWhatAnybodySeesProvesNothing$"),
		},
		{
			name: "sessions: as many as end", what: "an account gets so many sessions a minute and an hour",
			at: "session-limit", do: always, by: in("platform/session", "^TestSessionsAreLimited$"),
		},
		{
			name: "sessions: each refusal is asked about", what: "refusals do not double themselves",
			at: "verdict-holds", do: never, by: in("platform/session", "^TestOneVerdictForManyRefusals$"),
		},
		{
			name: "sessions: a verdict in the words of a session's end", what: "a session that has ended is not taken for a refusal",
			at: "verdict-holds", do: swap("!b.past.maySayEnd(refusal)", "true"), by: in("platform/session", "^TestNoVerdictForTheWordsOfASessionsEnd$"),
		},
		{
			name: "sessions: too many calls cost what other failures cost", what: "a platform that wants fewer calls is asked again when it says",
			at: "breaker-limited", do: never, by: in("bot/internal/outbox", "^TestTooManyAfterAnOutage$"),
		},
		{
			name: "sessions: a probe needs the permit of a call", what: "whether a session is good is asked for all",
			at: "flight-permit", do: drop, by: in("platform/session", "^TestAProbeNeedsNoPermit$"),
		},
		{
			name: "sessions: everybody renews", what: "one renewal for all who wait",
			at: "one-renewal", do: without(1, 3), by: in("bot", "^TestASessionEndsInTheMiddle$"),
		},
		{
			name: "sessions: no new sign-in", what: "a refresh token that is dead",
			at: "refresh-refused", do: begin(`return k, "refresh", err`), by: in("bot", "^TestASessionEndsInTheMiddle$"),
		},
		{
			name: "sessions: pauses do not grow", what: "a wrong password is not hammered",
			at: "pause-grows", do: drop, by: in("bot", "^TestAWrongPasswordForAWhile$"),
		},
		{
			name: "sessions: newcomers all at once", what: "of many that have never signed in a few come at once",
			at: "entrance-turn", do: drop, by: in("platform/session", "^TestNewcomersComeOneAfterAnother$"),
		},
		{
			name: "sessions: newcomers whatever happens to them", what: "when many are refused in a row the others are not tried",
			at: "entrance-shut", do: never, by: in("platform/session", "^TestManyRefusalsStopNewcomers$"),
		},
		{
			name: "sessions: nobody counts refusals", what: "when many are refused in a row the others are not tried",
			at: "entrance-refused", do: always, by: in("platform/session", "^TestManyRefusalsStopNewcomers$"),
		},
		{
			name: "sessions: never parked", what: "a social sign-in that cannot be renewed",
			at: "parked", do: operand(2, 2, without(1, 2)), by: in("bot", "^TestASocialSignInThatCannotBeRenewed$"),
		},
		{
			name: "sessions: a second 400 is believed", what: "a session that ends twice in a row",
			at: "second-400", do: never, by: in("platform", "^TestRefusedSessionIsRenewedOnce$"),
		},
	}
}

func laneParts() []mutation {
	return []mutation{
		{
			name: "poison: a hanging handler keeps its lane", what: "a handler that hangs",
			at: "left-behind", do: idle, by: in("bot", "^TestHandlerThatHangs"),
		},
		{
			name: "poison: what cannot be stored is tried for ever", what: "a turn that cannot be stored",
			at: "unfit", do: never, by: in("bot", "^TestPoison"),
		},
		{
			name: "poison: no quarantine", what: "quarantine after tries and age",
			at: "attempt", do: field("Quarantined", never), by: in("bot", "^TestQuarantineLasts"),
		},
		{
			name: "poison: lanes begin with the newest", what: "order and exactness of a lane",
			at: "lane-queue", do: replace("if len(l.queue) > 1 {\n\t\tl.queue = append(l.queue[:1:1], append([]*job{j}, l.queue[1:]...)...)\n\t} else {\n\t\tl.queue = append(l.queue, j)\n\t}"), by: in("bot", "^TestLanesCountLikeTheirModel$"),
		},
	}
}

func takeoverParts() []mutation {
	return []mutation{
		{
			name: "takeover: the bot goes on", what: "human takeover",
			at: "takeover", do: drop, by: in("bot", "^TestTakeoverInAFlow"),
		},
		{
			name: "takeover: what is in doubt counts as a person's", what: "own sends never trigger a takeover",
			at: "in-doubt-unattributed", do: never, by: in("bot", "^TestInDoubtIsNoTakeover"),
		},
		{
			name: "loops: no ceiling", what: "two bots that answer each other",
			at: "ceiling", do: drop, by: in("bot", "^TestTwoBotsStop"),
		},
		{
			name: "loops: the bot is its own peer", what: "accounts of one bot",
			at: "ourselves", do: always, by: in("bot", "^TestAccountsOfOneBot"),
		},
	}
}

func faultParts() []mutation {
	return []mutation{
		{
			name: "faults: no back-off", what: "an outage is no busy loop",
			at: "back-off", do: returns("base"), by: in("bot", "^TestFaults$/down"),
		},
		{
			name: "faults: Retry-After is not heeded", what: "429 with Retry-After",
			at: "retry-after", do: swap("min(platform.RetryAfter(err), longestHold)", "0"), by: in("bot", "^TestFaults$/429"),
		},
		{
			name: "faults: any Retry-After is believed", what: "no answer silences an account for ever",
			at: "retry-after-bound", do: swap("min(asked, longestWait)", "asked"), by: in("platform/session", "^TestARequestToSlowDownForEver$"),
		},
		{
			name: "faults: a date to wait until is one of our clock", what: "Retry-After by a clock that is wrong",
			at: "retry-date", do: never, by: in("platform", "^TestRetryAfterByThePlatformsClock$"),
		},
		{
			name: "faults: a date to wait until is one of our clock, among workloads", what: "the simulator sees what a wrong clock does",
			at: "retry-date", do: never, by: among("astray"),
		},
		{
			name: "faults: one odd answer is a wrong clock", what: "nobody is told of a clock that is right",
			at: "clock-twice", do: never, by: in("bot", "^TestOneOddAnswerIsNoWrongClock$"),
		},
		{
			name: "faults: an outage counts as waiting", what: "nothing is held because of an outage",
			at: "outage", do: without(2, 2), by: in("bot", "^TestFaults$"),
		},
		{
			name: "faults: a full disk fills the log", what: "one line per change of state",
			at: "full-disk-told", do: always, by: in("bot", "^TestAFullDisk$"),
		},
		{
			name: "faults: a write that fits is the end of a full disk", what: "one line per change of state",
			at: "disk-steady", do: never, by: in("bot/internal/store", "^TestAnAlmostFullDisk$"),
		},
		{
			name: "faults: a file that was deleted is written", what: "what was stored is there after the end",
			at: "in-place", do: never, by: in("bot/internal/store", "^TestTheFileIsTakenAway$"),
		},
		{
			name: "faults: who was robbed begins anew", what: "what was stored is there after the end",
			at: "begun-anew", do: always, by: in("bot/internal/store", "^TestTheFileIsTakenAway$"),
		},
		{
			name: "faults: a rival that cannot answer is gone", what: "of two bots that have both stopped one goes on",
			at: "rival-unheard", do: never, by: in("bot", "^TestBothHaveStopped$"),
		},
		{
			name: "faults: acts without a commit", what: "a full disk",
			at: "committed", do: without(1, 2), by: in("bot", "^TestAFullDisk$"),
		},
		{
			name: "faults: only the first page follows the clock", what: "order after a clock that was set back",
			at: "last-due", do: drop, by: in("bot/internal/outbox", "^TestClockSetBackOverRestarts$"),
		},
		{
			name: "faults: the clock is believed", what: "a clock that was set back",
			at: "catch-up", do: drop, by: in("bot", "^TestAClockThatJumps$"),
		},
	}
}

func healthParts() []mutation {
	return []mutation{
		{
			name: "deafness: nobody watches", what: "the watchdog",
			at: "watch-health", do: drop, by: in("bot", "^TestUnhealthySource$"),
		},
		{
			name: "deafness: a still list is fine", what: "a list that stands still",
			at: "unhealthy-still", do: returns(`"", 0`), by: in("bot", "^TestUnhealthySource$"),
		},
	}
}

func inspectorParts() []mutation {
	return []mutation{
		{
			name: "inspector: nobody takes requests up", what: "what people decide",
			at: "run-requests", do: drop, by: in("bot", "^TestRequestsWaitForABot$"),
		},
		{
			name: "inspector: a retry is not tried", what: "quarantined events are tried again in order",
			at: "retry", do: drop, by: in("bot", "^TestRetryAfterQuarantine$"),
		},
		{
			name: "parts: a lane is forgotten as something comes in", what: "a conversation has one lane",
			at: "lane-kept", do: drop, by: in("bot", "^TestLanesCountLikeTheirModel$"),
		},
		{
			name: "inspector: a decision waits its turn", what: "a person gets in although a turn fails again and again",
			at: "hasten", do: always, by: in("bot", "^TestDecisionsPassAStuckTurn$"),
		},
	}
}
