package simulate_test

// ownParts are mutations of what an account does by itself, and of what plugins keep for it.
func ownParts() []mutation {
	return []mutation{
		{
			name: "own: everybody is a person", what: "what needs a person fails where there is none",
			at: "own-person", do: always, by: in("bot", "^TestOwnTurnsHaveNoPerson$"),
		},
		{
			name: "own: the ceiling is for nobody, too", what: "what an account does by itself is not said to a person",
			at: "own-ceiling", do: without(2, 2), by: in("bot", "^TestOwnTurnsAreNoPersons$"),
		},
		{
			name: "own: nobody is forgotten", what: "the account's own conversation is nobody's",
			at: "own-wish", do: never, by: in("bot", "^TestOwnTurnsAreNoPersons$"),
		},
		{
			name: "own: with itself in silence", what: "a turn under the account's own id fails, and says why",
			at: "own-id", do: never, by: in("bot", "^TestTurnsWithItself$"),
		},
		{
			name: "own: a start begins nothing", what: "what begins with each start does",
			at: "own-started", do: drop, by: in("bot", "^TestOwnTurns$"),
		},
		{
			name: "own: a number of an earlier incarnation counts", what: "the turn of a start comes with each start",
			at: "own-renumber", do: always, by: in("bot", "^TestStartedAtEachStart$"),
		},
		{
			name: "own: nudges go on in a pause", what: "the nudges of a paused account wait",
			at: "own-paused", do: returns("false"), by: in("bot", "^TestOwnTurnsOfAPausedAccount$"),
		},
		{
			name: "own: what was asked is forgotten", what: "it can be told what a person asked for",
			at: "own-cause", do: drop, by: in("bot", "^TestPostsAreFacts$"),
		},
		{
			name: "own: what a request's tries read is forgotten", what: "what was read for a turn is not read again after a crash",
			at: "own-tried", do: always, by: in("bot", "^TestPostsOfAnOutage$"),
		},
		{
			name: "own: any version will do", what: "no change of a value of the account is lost",
			at: "own-value-version", do: never, by: in("bot", "^TestAccountValueThatIsOnlyRead$|^TestAccountValuesLoseNothing$"),
		},
		{
			name: "own: what is on its way is not seen", what: "turns behind one another run once each",
			at: "own-value-in-flight", do: replace("v, known := t.reader.values.newestValue(plugin, name, words); known = false"), by: in("bot", "^TestAccountValueOfManyAtOnce$"),
		},
		{
			name: "own: what is gone is remembered", what: "a value that was deleted is gone",
			at: "own-value-seen", do: drop, by: in("bot", "^TestAccountValueAsItWasLeft$"),
		},
		{
			name: "own: two of a name", what: "of turns that decide one name at the same time, each says what it did",
			at: "own-named", do: never, by: in("bot", "^TestKeyedAtTheSameTime$"),
		},
		{
			name: "own: the first of a name is a second", what: "an action of a name is decided once",
			at: "own-left-out", do: never, by: in("bot", "^TestKeyed$"),
		},
		{
			name: "own: all posts are kept", what: "what a turn reads is bounded",
			at: "own-posts-most", do: never, by: in("bot", "^TestPostsAreFacts$"),
		},
	}
}
