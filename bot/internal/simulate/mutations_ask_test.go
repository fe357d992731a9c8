package simulate_test

// askParts are mutations of what waits for an approval together.
func askParts() []mutation {
	return []mutation{
		{
			name: "ask: each of a bundle is approved alone", what: "what one rule on ask does is one",
			at: "ask-together", do: always, by: among("approver"),
		},
		{
			name: "ask: what waits beside is forgotten", what: "what waits beside answers happens if they are released",
			at: "ask-effects", do: swap("&held[i].Effects", "&event.Effects{Leaves: held[i].Key[:0]}"), by: among("approver"),
		},
		{
			name: "ask: a late approval counts", what: "an approval after its time",
			at: "ask-expired", do: never, by: in("bot", "^TestApprovalJustOverItsTime$"),
		},
		{
			name: "ask: it waits for ever", what: "what nobody approves expires by itself",
			at: "ask-expires", do: never, by: in("bot", "^TestApprovalExpires$"),
		},
		{
			name: "ask: only what has been handled is in time", what: "an approval counts from when it was given",
			at: "ask-in-time", do: never, by: in("bot", "^TestApprovalBehindManyOthers$"),
		},
		{
			name: "ask: a held like is done", what: "outcomes of what is held",
			at: "ask-outcome", do: swap("len(d.out.Bundles) > 0", "says"), by: in("handlers/rules", "^TestHeldLikeIsPrepared$"),
		},
		{
			name: "ask: books are kept at once", what: "labels and lists of rules on ask",
			at: "ask-books", do: never, by: in("handlers/rules", "^TestAllOfARuleOnAskWaits$"),
		},
		{
			name: "ask: nobody decided", what: "who decided",
			at: "ask-by", do: drop, by: in("cmd", "^TestReview$"),
		},
		{
			name: "pages: what was shown ahead of others is forgotten", what: "whoever turns pages sees each row once",
			at: "page-ahead", do: drop, by: in("bot/inspect", "^TestPagesOfEvents$"),
		},
		{
			name: "pages: whoever wrote stands at each of her events", what: "whoever turns pages of conversations sees each person once",
			at: "page-last", do: always, by: in("bot/inspect", "^TestPagesOfConversations$"),
		},
		{
			name: "pages: what accounts have of one moment comes again", what: "whoever turns pages of several accounts sees each row once",
			at: "page-moment", do: never, by: in("bot/inspect", "^TestPagesOfOwned$"),
		},
	}
}
