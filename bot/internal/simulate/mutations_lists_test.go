package simulate_test

// listParts are mutations of how long chat lists, and those that are cut, are read.
func listParts() []mutation {
	return []mutation{
		{
			name: "lists: one that is cut is none", what: "rows that arrived count, also when the rest does not",
			at: "list-cut", do: always, by: in("bot", "^TestListAboveItsLimit$"),
		},
		{
			name: "lists: behind a cut nothing moves", what: "people behind the cut are answered",
			at: "behind", do: always, by: in("bot", "^TestBehindTheCut$"),
		},
		{
			name: "lists: behind a cut nothing moves, among workloads", what: "the simulator sees who is behind a cut",
			at: "behind", do: always, by: among("throng"),
		},
		{
			name: "lists: what comes to light did not move", what: "who was behind the cut when she wrote is answered",
			at: "surface", do: always, by: among("throng"),
		},
		{
			name: "phantoms: the newest alone are read", what: "no hint waits for ever in a flood",
			at: "oldest-each", do: never, by: in("bot/internal/poll", "^TestEveryFourthReadingIsTheOldest$"),
		},
		{
			name: "phantoms: the oldest are read first", what: "who writes in a flood is read at once",
			at: "oldest-each", do: always, by: in("bot/internal/poll", "^TestEveryFourthReadingIsTheOldest$"),
		},
		{
			name: "phantoms: what is not listed is asked for for ever", what: "what two whole lists do not show is forgotten",
			at: "forget", do: always, by: in("bot/internal/poll", "^TestChatThatTheListForgets$"),
		},
		{
			name: "phantoms: an empty list proves something", what: "a chat is not forgotten over an empty list",
			at: "forget", do: without(2, 3), by: in("bot/internal/poll", "^TestListsThatProveNothing$"),
		},
		{
			name: "phantoms: a list that lags proves something", what: "a chat is not forgotten over a list that went back",
			at: "forget", do: without(3, 3), by: in("bot/internal/poll", "^TestListsThatProveNothing$"),
		},
		{
			name: "phantoms: each of them is a warning", what: "equal warnings are one line with a count",
			at: "tell-each", do: without(2, 2), by: in("bot/internal/poll", "^TestManyRefusedChats$"),
		},
	}
}
