package simulate_test

// heldBackParts are mutations of what is heard of when nobody answers, and of bursts with several questions.
func heldBackParts() []mutation {
	rules := func(run string) proof { return in("handlers/rules", run) }
	return []mutation{
		{
			name: "waits: we open when we said", what: "hours that were changed while we are closed count",
			at: "open-looks", do: never, by: rules("^TestDealtWithBeforeWeOpen$"),
		},
		{
			name: "waits: the team is called at night", what: "what waits for us to open rings nobody before",
			at: "open-waits", do: never, by: rules("^TestToldWhenWeOpen$"),
		},
		{
			name: "waits: each question is a call", what: "one notice says all that a person has asked",
			at: "open-together", do: always, by: rules("^TestToldWhenWeOpen$"),
		},
		{
			name: "waits: any answer is one", what: "only an answer to what was asked ends a wait",
			at: "answers-that", do: always, by: rules("^TestOnlyItsOwnAnswerEndsAWait$"),
		},
		{
			name: "waits: the last one comes first", what: "who has waited longest stands first",
			at: "longest-first", do: never, by: in("plugins/autoresponder", "^TestCalledWhenWeOpen$"),
		},
		{
			name: "held back: every reason is one", what: "rules for what was held back wait for their reason",
			at: "held-reason", do: never, by: rules("^TestHeldBackReasons$"),
		},
		{
			name: "held back: who answered otherwise was held back, too", what: "what a step answers was not held back",
			at: "answered-otherwise", do: swap("!h.own", "false"), by: rules("^TestNotHeldBack$"),
		},
		{
			name: "held back: nobody looks at the ceiling", what: "what is above the ceiling is heard of",
			at: "above-ceiling", do: never, by: in("plugins/autoresponder", "^TestHeldBackIsHeardOf$"),
		},
		{
			name: "held back: what is above the ceiling is silence", what: "silence is not about what is above the ceiling",
			at: "silence-ceiling", do: returns("false"), by: in("plugins/autoresponder", "^TestHeldBackIsHeardOf$"),
		},
		{
			name: "held back: a refused answer is one", what: "silence is about answers that the platform refused",
			at: "silence-refused", do: returns("true"), by: in("plugins/autoresponder", "^TestSilenceAfterARefusal$"),
		},
		{
			name: "held back: what is answered waits all the same", what: "silence is that nobody answered",
			at: "silence-answered", do: swap("d.answerAt()", "-1"), by: rules("^TestSilence"),
		},
		{
			name: "held back: what is liked is unmatched", what: "what a like-rule matched is no no_match",
			at: "liked-matched", do: swap("d.matched", "d.winner != nil"), by: rules("^TestLikedIsMatched$"),
		},
		{
			name: "held back: what is paused is not recorded", what: "what a rule that is paused would do is recorded",
			at: "paused-recorded", do: never, by: rules("^TestPausedByHand$"),
		},
		{
			name: "bursts: one question is enough", what: "each question of a burst is answered",
			at: "burst-further", do: never, by: rules("^TestTwoQuestions$"),
		},
		{
			name: "bursts: each answer is a message", what: "one message answers a burst",
			at: "joined-length", do: always, by: rules("^TestBurstsOfQuestions$"),
		},
		{
			name: "bursts: two answers are cut", what: "two answers that are too long are two messages",
			at: "joined-length", do: without(2, 2), by: rules("^TestTwoMessages$"),
		},
		{
			name: "bursts: a team is no reason to stop", what: "a handoff stands alone",
			at: "handoff-alone", do: swap("r.hands", "false"), by: rules("^TestHandoffAlone$"),
		},
		{
			name: "bursts: the laxer status holds", what: "what one rule asks for waits",
			at: "stricter", do: never, by: rules("^TestJoinedStatus$"),
		},
		{
			name: "bursts: texts are looked at alone", what: "a phrase over two texts is one question",
			at: "burst-row", do: never, by: rules("^TestPartsOfOneQuestion$"),
		},
		{
			name: "bursts: a question is swallowed by an answer", what: "a question beside the answer to a step is answered",
			at: "beside-answer", do: always, by: rules("^TestQuestionBesideAnAnswer$"),
		},
	}
}
