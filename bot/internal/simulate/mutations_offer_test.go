package simulate_test

// offerParts are mutations of who has a turn, and of what goes around it.
func offerParts() []mutation {
	const tries = "^TestPermanentErrors$"
	return []mutation{
		{
			name: "offer: what a handler collected stays when it declines", what: "a handler that declines leaves nothing behind",
			at: "decline", do: drop, by: in("bot", "^TestDecline$"),
		},
		{
			name: "offer: rules keep what they do not answer", what: "what no rule answers goes on to routes and the fallback",
			at: "rules-leave", do: drop, by: in("plugins/autoresponder", "^TestRulesLeaveWhatTheyDoNotAnswer$"),
		},
		{
			name: "offer: middleware speaks over a person of ours", what: "what middleware says where nobody was to answer does not leave",
			at: "unanswered", do: never, by: in("bot", "^TestMiddlewareGoesAroundEveryTurn$"),
		},
		{
			name: "offer: what cannot be mended is tried again", what: "an error that no other try mends is set aside at once",
			at: "permanent", do: swap("isPermanent(err)", "false"), by: in("bot", tries),
		},
		{
			name: "offer: who only watches fills the database", what: "what a turn read and decided nothing from is not kept",
			at: "only-reads", do: drop, by: in("bot", "^TestWatchingKeepsNothing$"),
		},
		{
			name: "offer: nothing comes behind a reminder", what: "a state that has reminded somebody reminds again, and gives up in the end",
			at: "reminded", do: never, by: in("bot", "^TestReminders$"),
		},
	}
}
