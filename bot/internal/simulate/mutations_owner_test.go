package simulate_test

// ownerParts are mutations of what the bot does about people of ours who write from its account, and about what is
// written while it hears nothing.
func ownerParts() []mutation {
	return []mutation{
		{
			name: "owner: a start waits for nothing", what: "what was answered by hand while the bot was down is not answered again",
			at: "quiet", do: swap("!cs.isHeardLocked(peer)", "false"), by: in("bot", "^TestAnsweredByHandWhileDown$"),
		},
		{
			name: "owner: who has spoken does not matter", what: "nothing leaves over the owner's words",
			at: "quiet", do: swap("cs.Doubts.HasDoubt(peer)", "false"), by: among("owner"),
		},
		{
			name: "owner: a stop gives back what was taken back", what: "what waits, and was taken back, is withdrawn at a stop: once it is due again nobody looks",
			at: "revoked", do: always, by: in("bot/internal/outbox", "^TestStopBehindAPersonsWords$"),
		},
		{
			name: "owner: what was decided before her words leaves", what: "nothing leaves over the owner's words",
			at: "taken", do: never, by: among("owner"),
		},
		{
			name: "owner: what an earlier incarnation began leaves", what: "nothing leaves over the owner's words, also over starts",
			at: "taken-before", do: always, by: in("bot", "^TestTakeOverBehindARequestThatHangs$"),
		},
		{
			name: "owner: a release keeps the time of its rule", what: "what a person approves behind her words leaves, also over a crash",
			at: "released-at", do: swap("x.DecidedAt", "x.EndedAt"), by: in("bot", "^TestApprovedAfterAPersonsWords$"),
		},
		{
			name: "owner: what is marked alone is hers", what: "a mention that was answered by hand is not answered again, also when that was read without a session",
			at: "owned-by-id", do: replace("_, _ = p, me"), by: in("bot", "^TestMentionAnsweredByHand$"),
		},
		{
			name: "owner: a burst that she has answered goes on", what: "what is written after a person of ours is answered",
			at: "burst-of-hers", do: never, by: in("plugins/autoresponder", "^TestBurstAnsweredByHand$"),
		},
		{
			name: "owner: only a question on ask is looked at", what: "nobody is waited for who was never asked",
			at: "question-kept", do: and("d.out.Actions[d.put].Status == decision.Ask"), by: in("plugins/autoresponder", "^TestQuestionTakenBackByCommand$"),
		},
		{
			name: "toggles: what shows no like is believed", what: "what is to be undone is undone, also when its state was read without a session",
			at: "toggle-vouched", do: swap("a.verifySession(ctx)", "ctx.Err()"), by: in("bot/internal/outbox", "^TestStateThatIsReadWithoutASession$"),
		},
		{
			name: "toggles: a call is repeated with another session", what: "no like is undone, also when its state was read without a session",
			at: "toggle-once", do: never, by: in("bot/internal/outbox", "^TestStateThatIsReadWithoutASession$"),
		},
		{
			name: "toggles: a thread is read by whoever", what: "a thread is read as the account sees it",
			at: "thread-vouched", do: swap("c.Feed(ctx, platform.PageParams{PageSize: 1})", "0, ctx.Err()"), by: in("bot", "^TestThreadAsTheAccountSeesIt$"),
		},
		{
			name: "toggles: nothing goes on without a feed", what: "where there is no feed, states and threads are read all the same",
			at: "no-feed", do: swap("platform.Final(err)", "err == nil"), by: in("bot/internal/outbox", "^TestStateWithoutAFeed$"),
		},
		{
			name: "owner: an approval does not listen", what: "what was approved while no bot ran is judged by what was said until then",
			at: "release-hears", do: always, by: in("bot", "^TestApprovedWhileDown$"),
		},
		{
			name: "owner: an approval listens once", what: "of an approval and of words between two readings of a chat nobody knows which came first",
			at: "release-hears-anew", do: always, by: in("bot", "^TestApprovedBetweenReadings$"),
		},
		{
			name: "owner: an approval listens once, beside an interrupter", what: "what she approves behind her words leaves",
			at: "release-hears-anew", do: always, by: among("interrupter"),
		},
		{
			name: "owner: an approval is stronger than words", what: "of an approval and of words while no bot ran nobody knows which came first",
			at: "release-words", do: never, by: in("bot", "^TestApprovedWhileDown$"),
		},
		{
			name: "owner: an approval goes over her words", what: "what one of ours has written over is said only when somebody insists",
			at: "overtaken", do: swap("wrote.After(a.DecidedAt)", "false"), by: in("cmd", "^TestOvertakenAnswers$"),
		},
		{
			name: "owner: the dispatcher looks away", what: "whoever reads the owner's words, nothing leaves over them",
			at: "dispatcher-sees", do: always, by: in("bot", "^TestOwnersWordsThatTheDispatcherReads$"),
		},
		{
			name: "owner: a page is looked at in the end", what: "nothing leaves over the owner's words while a chat is read",
			at: "sighted", do: never, by: in("bot", "^TestOwnersWordsAboveManyPages$"),
		},
		{
			name: "owner: lanes go on", what: "nothing is decided before it is known whose an own message is",
			at: "lane-quiet", do: swap("l.account.quiet.QuietEnded(l.key.Peer) == nil", "true"), by: in("bot", "^TestAnsweredByHandWhileDown$"),
		},
		{
			name: "owner: a request that waits for a session leaves", what: "nothing leaves over the owner's words after a renewal",
			at: "permit", do: replace("asking := ctx"), by: in("bot", "^TestOwnersWordsDuringARenewal$|^TestOwnTurnPausedDuringARenewal$"),
		},
		{
			name: "owner: a mention is for the bot", what: "a mention that was answered by hand is not answered again",
			at: "by-hand", do: always, by: in("bot", "^TestMentionAnsweredByHand$"),
		},
		{
			name: "owner: an outage is no absence", what: "what becomes due when an outage is over does not leave over words that she wrote meanwhile",
			at: "absence", do: always, by: in("bot", "^TestOwnersWordsInAnOutage$"),
		},
		{
			name: "owner: an absence is over with any answer", what: "after an absence a conversation itself is heard before anything leaves",
			at: "absence-anew", do: never, by: in("bot", "^TestOwnersWordsInAnOutage$"),
		},
		{
			name: "owner: the end of a take-over is the end", what: "who wrote shortly before her time was over is not answered over",
			at: "fixed-time", do: always, by: in("bot", "^TestOwnersWordsOutlastATakeOver$"),
		},
		{
			name: "owner: a mention is hers in its turn only", what: "a reply that waits does not leave over one that a person of ours wrote there",
			at: "by-hand-late", do: never, by: in("bot", "^TestMentionAnsweredByHandBeforeTheReplyLeaves$"),
		},
		{
			name: "owner: what is released just now is young", what: "what waited for an approval is looked at before it leaves",
			at: "by-hand-released", do: never, by: in("bot", "^TestMentionAnsweredByHandAndApproved$"),
		},
		{
			name: "owner: an approval is stronger than a reply", what: "what she answers in public after an approval keeps back what waits",
			at: "by-hand-approved", do: never, by: in("bot", "^TestMentionAnsweredByHandAndApproved$"),
		},
		{
			name: "owner: an approval has the time of a wrong clock", what: "what she answers in public after an approval keeps back what waits, also on a machine whose clock is ahead",
			at: "clock-earliest", do: swap("at.Add(-max(w.most, w.odd))", "at"), by: in("bot", "^TestMentionAnsweredByHandAndApproved$"),
		},
		{
			name: "owner: a turn that waits looks once", what: "a mention that was answered by hand while its turn waits is not answered again",
			at: "by-hand-again", do: never, by: in("bot", "^TestMentionAnsweredByHandWhileItsTurnWaits$"),
		},
		{
			name: "owner: a look below a post holds for ever", what: "a reply that waits for a session does not leave over one that a person of ours wrote meanwhile",
			at: "by-hand-waits", do: returns("false"), by: in("bot", "^TestMentionAnsweredByHandDuringARenewal$"),
		},
		{
			name: "owner: what waited in a stop is fresh", what: "a reply that has waited in a stop does not leave over one that somebody else wrote meanwhile",
			at: "stood-looks", do: never, by: in("bot", "^TestMentionAnsweredWhileEverythingStood$"),
		},
		{
			name: "owner: a turn trusts what it read before a stop", what: "a mention that was answered by hand in a stop, while its turn waits, is not answered again",
			at: "by-hand-again", do: swap("t.reader.account.outbox.StoodSince(f.ReadAt)", "false"), by: in("bot", "^TestMentionReadAgainAfterAStop$"),
		},
		{
			name: "owner: what is held is hers", what: "what a held reply may have become is not taken for a person's",
			at: "by-hand-held", do: returns("false"), by: in("bot", "^TestMentionAnsweredByWhatIsHeld$"),
		},
		{
			name: "silence: only the bot answers in public", what: "what a person of ours has answered below a mention is no silence",
			at: "silence-by-hand", do: swap("len(post.Answers)", "len(post.Media)"), by: in("plugins/autoresponder", "^TestMentionAnsweredByHandIsNoSilence$"),
		},
		{
			name: "silence: timers do not listen", what: "who answered in time is not told otherwise",
			at: "timers-listen", do: always, by: among("waiter"),
		},
		{
			name: "silence: a cut list proves that a chat it hides did not move", what: "a timer waits until the chat itself was read",
			at: "heard-behind", do: never, by: in("bot", "^TestTimerBehindRowsThatStay$"),
		},
		{
			name: "silence: a list that was returned is enough", what: "a timer waits until the chat itself was read",
			at: "hint-opens", do: never, by: in("bot", "^TestTimersAfterMessages$"),
		},
		{
			name: "silence: timers wait for ever", what: "a conversation that cannot be read holds no timer up for ever",
			at: "timers-patience", do: never, by: in("bot", "^TestTimerOfAnUnreadableConversation$"),
		},
		{
			name: "silence: all sources count", what: "a source that a conversation never used holds up none of its timers",
			at: "timers-sources", do: swap("len(used) > 0", "h.all()"), by: in("bot", "^TestTimerOfAnUnreadableConversation$"),
		},
	}
}
