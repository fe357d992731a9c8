package simulate_test

// caretakerParts are mutations of what the bot does about people of ours who answer by hand while what the bot wants to say there waits,
// or while the platform cannot be read; a workload notices each.
func caretakerParts() []mutation {
	return []mutation{
		{
			name: "caretaker: an outage is no absence", what: "what becomes due when an outage is over does not leave over words that she wrote meanwhile",
			at: "absence", do: always, by: among("caretaker"),
		},
		{
			name: "caretaker: an absence is over with any answer", what: "after an absence a conversation itself is heard before anything leaves",
			at: "absence-anew", do: never, by: among("caretaker"),
		},
		{
			name: "caretaker: a mention is for the bot", what: "a mention that was answered by hand is not answered again",
			at: "by-hand", do: always, by: among("caretaker"),
		},
		{
			name: "caretaker: a turn that waits looks once", what: "a mention that was answered by hand while its turn waits is not answered again",
			at: "by-hand-again", do: never, by: among("caretaker"),
		},
		{
			name: "caretaker: a mention is hers in its turn only", what: "a reply that waits does not leave over one that a person of ours wrote there",
			at: "by-hand-late", do: never, by: among("caretaker"),
		},
		{
			name: "caretaker: a look below a post holds for ever", what: "a reply that waits is looked at again before it leaves",
			at: "by-hand-waits", do: returns("false"), by: among("caretaker"),
		},
	}
}
