package simulate_test

// copyParts are mutations of what a bot does with a copy of its database that was put back.
func copyParts() []mutation {
	return []mutation{
		{
			name: "copy: nobody knows", what: "a copy that was put back is known by what was said of it",
			at: "careful-mark", do: never, by: in("bot", "^TestCopyThatWasPutBack$"),
		},
		{
			name: "copy: the file beside it says nothing", what: "a copy that was put back is known by a later start",
			at: "careful-found", do: never, by: in("bot", "^TestCopyThatWasPutBack$"),
		},
		{
			name: "copy: nobody heeds it", what: "an account heeds what it has said since the copy",
			at: "careful-on", do: drop, by: in("bot", "^TestCopyThatWasPutBack$"),
		},
		{
			name: "copy: what was answered is answered", what: "what stands above the account's last words is answered, and nothing else",
			at: "careful-answered", do: always, by: in("bot", "^TestCopyThatWasPutBack$"),
		},
		{
			name: "copy: the bot's words are a person's", what: "whom the bot has answered since the copy it goes on to answer",
			at: "careful-said", do: without(1, 2), by: in("bot", "^TestCopyThatWasPutBack$"),
		},
		{
			name: "copy: words count from when they are read", what: "the bot is silent for as long as after words that it had seen",
			at: "careful-age", do: always, by: in("bot", "^TestOwnerBesideACopy$"),
		},
		{
			name: "copy: wishes are new", what: "what a copy wanted to say is not said where the account has spoken since",
			at: "careful-withdrawn", do: never, by: in("bot", "^TestWishesOfACopy$"),
		},
		{
			name: "copy: timers are new", what: "a reminder of before the start is not said where the account has spoken since",
			at: "careful-timer", do: never, by: in("bot", "^TestWishesOfACopy$"),
		},
		{
			name: "copy: nothing was published since", what: "what the account has published since the copy counts",
			at: "careful-published", do: drop, by: in("bot", "^TestLimitAfterACopy$"),
		},
		{
			name: "copy: without a mark nobody is told", what: "many words that a rule says and nobody knows are told",
			at: "unmarked", do: always, by: in("bot", "^TestCopyWithoutAMark$"),
		},
		{
			name: "numbered anew: nobody looks", what: "a platform that numbers its messages anew silences nobody",
			at: "renumbered", do: drop, by: in("bot", "^TestMessagesNumberedAnew$"),
		},
		{
			name: "numbered anew: upwards it is one odd row", what: "a platform that numbers its messages anew, upwards, silences nobody",
			at: "renumbered-up", do: always, by: in("bot", "^TestMessagesNumberedAnew$"),
		},
		{
			name: "numbered anew: two odd rows are enough", what: "who writes between two answers with absurd numbers is answered",
			at: "renumbered-together", do: never, by: in("bot", "^TestAbsurdNumbersAreNoNewNumbering$"),
		},
		{
			name: "ids come again: nobody is told", what: "notifications under ids of others are told of",
			at: "ids-again", do: never, by: in("bot", "^TestNotificationIDsThatComeAgain$"),
		},
		{
			name: "ids come again: an audit does not say", what: "an audit lists notifications under ids of others",
			at: "audit-again", do: never, by: in("bot/audit", "^TestIDsThatComeAgain$"),
		},
		{
			name: "copy: all that a person took is given back", what: "give-back --all returns what was taken over by reading a copy, and nothing else",
			at: "give-back-copy", do: never, by: in("cmd", "^TestRestored$"),
		},
	}
}
