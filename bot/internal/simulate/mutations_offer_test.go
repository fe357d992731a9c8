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

// deliveryParts are mutations of what comes from outside of the platform.
func deliveryParts() []mutation {
	const quiet, end = "^TestDeliveryIsSilent$", "^TestDeliveriesEnd$"
	return []mutation{
		{
			name: "deliveries: none has its turn before the next start", what: "what is delivered has its turn at once",
			at: "delivery-runs", do: never, by: in("bot", "^TestDeliver$"),
		},
		{
			name: "deliveries: those of a turn are in memory alone", what: "what a turn delivers is stored with it",
			at: "delivery-stored", do: swap("t.Deliveries", "nil"), by: in("bot", "^TestTurnDelivers$"),
		},
		{
			name: "deliveries: one speaks over a person of ours", what: "a delivery does not speak while a person has the conversation",
			at: "delivery-owned", do: drop, by: in("bot", quiet),
		},
		{
			name: "deliveries: one speaks to a stranger", what: "nobody is spoken to who never did anything with the account",
			at: "delivery-stranger", do: drop, by: in("bot", quiet),
		},
		{
			name: "deliveries: as many wait as come", what: "10,000 deliveries wait, and no more",
			at: "delivery-full", do: never, by: in("bot", "^TestDeliveriesAreFull$"),
		},
		{
			name: "deliveries: what is asked for does not wait for room", what: "what people deliver waits until there is room, and holds up nobody",
			at: "delivery-asked", do: swap("a.deliveries.isFull()", "false"), by: in("bot", "^TestDeliveriesAreFull$"),
		},
		{
			name: "deliveries: they follow from one another for ever", what: "16 deliveries follow from one another, and no more",
			at: "delivery-hops", do: never, by: in("bot", end),
		},
		{
			name: "deliveries: one that nobody takes is handled", what: "a delivery that no route takes is set aside",
			at: "delivery-untaken", do: never, by: in("bot", "^TestDeliveryWithoutARoute$"),
		},
		{
			name: "deliveries: what one says answers people", what: "who waits for a person of ours waits whatever is delivered",
			at: "delivery-words", do: never, by: in("bot", "^TestDeliveryAnswersNobody$"),
		},
		{
			name: "deliveries: a copy delivers again", what: "what a copy wanted is not said again",
			at: "delivery-copy", do: drop, by: in("bot", "^TestDeliveryOfACopy$"),
		},
	}
}
