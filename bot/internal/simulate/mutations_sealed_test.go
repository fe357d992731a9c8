package simulate_test

// sealedParts are mutations of what keeps people's words from who reads the file.
func sealedParts() []mutation {
	return []mutation{
		{
			name: "sealed: all is in the clear", what: "nothing that people said can be read from the file",
			at: "sealed", do: never, by: in("bot/internal/store", "^TestSealed$"),
		},
		{
			name: "sealed: the old key stays", what: "a key that was changed opens nothing",
			at: "retire", do: never, by: in("bot/internal/store", "^TestChangeKey$"),
		},
		{
			name: "sealed: an inspector seals with the key it began with", what: "what an inspector stores is opened by the newest key",
			at: "inspector-newest", do: always, by: in("bot/internal/store", "^TestInspectorDuringAChangeOfKey$"),
		},
		{
			name: "sealed: a new key is not looked for", what: "a bot that runs reads what an inspector has stored with the next key",
			at: "unknown-key", do: never, by: in("bot/internal/store", "^TestInspectorDuringAChangeOfKey$"),
		},
		{
			name: "sealed: the bot keeps its key", what: "the key changes while the bot runs",
			at: "new-key", do: never, by: in("bot/internal/store", "^TestChangeKey$"),
		},
		{
			name: "sealed: whoever has a session of before starts", what: "no start with another key",
			at: "old-session", do: never, by: in("bot/internal/store", "^TestSessionOfBeforeTheKeys$"),
		},
		{
			name: "sealed: the key changes under a bot that cannot follow", what: "a second change waits for a restart",
			at: "other-runs", do: never, by: in("bot/internal/store", "^TestChangeKeyTwice$"),
		},
	}
}
