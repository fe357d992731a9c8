package simulate_test

// codelessParts are mutations of how answers without a code are understood.
func codelessParts() []mutation {
	const outbox = "bot/internal/outbox"
	return []mutation{
		{
			name: "codeless: any status is fine", what: "a text in status that is no success is none",
			at: "codeless-status", do: swap("o.status == 0 && !succeeds(v)", "false"), by: in("platform", "^TestAnswersWithoutACode$"),
		},
		{
			name: "codeless: errors say nothing", what: "an answer that names an error is no success",
			at: "codeless-error", do: swap("!namesNothing(v)", "false"), by: in("platform", "^TestAnswersWithoutACode$"),
		},
		{
			name: "codeless: valid says nothing", what: "an answer that is not valid is a refusal",
			at: "codeless-valid", do: swap("known && !is", "(known && is && !is)"), by: in("platform", "^TestAnswersWithoutACode$"),
		},
		{
			name: "codeless: what failed is a success", what: "an answer that speaks of a failure and does not say which is in doubt",
			at: "codeless-failed", do: never, by: in("platform", "^TestAnswersWithoutACode$"),
		},
		{
			name: "codeless: who asked follows nobody", what: "a request that waits is not taken back",
			at: "codeless-follow", do: never, by: in("platform", "^TestFollowWithoutACode$"),
		},
		{
			name: "codeless: what names nothing is done", what: "what an answer claims has to be named, or found",
			at: "codeless-unnamed", do: swap("proven || e.coded", "true"), by: in("platform", "^TestAnswersWithoutACodeThatSayNothingElse$"),
		},
		{
			name: "codeless: doubted for ever", what: "where answers never name anything, they are believed",
			at: "codeless-learned", do: never, by: in(outbox, "^TestAnswersThatNameNothing$"),
		},
		{
			name: "codeless: a claim in vain proves something", what: "answers are believed after readings that found what they claim",
			at: "codeless-unlearned", do: drop, by: in(outbox, "^TestAnswersThatNameInVain$"),
		},
		{
			name: "codeless: own words without a name are a person's", what: "own words that nobody named are the bot's",
			at: "unnamed", do: never, by: in("bot", "^TestOwnWordsThatNobodyNamed$"),
		},
		{
			name: "codeless: own replies without a name are a person's", what: "own replies that nobody named are the bot's",
			at: "unnamed-reply", do: always, by: in("bot", "^TestOwnRepliesThatNobodyNamed$"),
		},
		{
			name: "codeless: any words are those that nobody named", what: "words of a person are hers, where answers name nothing, too",
			at: "unnamed-text", do: swap("a.mayShow(action.Text, text)", "true"), by: in("bot", "^TestOwnWordsThatNobodyNamed$"),
		},
		{
			name: "codeless: what has no name explains all that is said alike", what: "words that nobody named explain one message",
			at: "unnamed-once", do: drop, by: in("bot", "^TestOwnWordsThatNobodyNamed$"),
		},
		{
			name: "codeless: what somebody else has named is unknown", what: "one message is judged once, whoever reads it",
			at: "unnamed-meanwhile", do: swap("known[id]", "known[0]"), by: proof{"bot/internal/simulate", "^TestSeeds$", []string{"-workload", "deadly", "-seed", "211", "-shrink=false"}},
		},
		{
			name: "codeless: a deletion is believed", what: "a deletion without a code is believed by reading",
			at: "codeless-deletion", do: swap("!uncoded.Load()", "true"), by: in(outbox, "^TestDeletionWithoutACode$"),
		},
	}
}
