package simulate_test

// workloadParts are mutations that the judges of workloads notice, and those of what the workloads have found.
func workloadParts() []mutation {
	return []mutation{
		{
			name: "workload rules: a use that is denied is none", what: "a limit in total, over conversations that race for it",
			at: "denied", do: never, by: among("rules"),
		},
		{
			name: "workload rules: a burst is kept", what: "what is said in a row is answered once",
			at: "burst-over", do: unassign(1, 2), by: simulator,
		},
		{
			name: "workload second: the accounts are strangers", what: "the accounts of a bot do not talk to each other, also after a start",
			at: "enrolled", do: always, by: simulator,
		},
		{
			name: "snapshots: own words are theirs", what: "without get_messages the bot does not answer itself",
			at: "own-words", do: and("!m.rose"), by: proof{"bot/internal/simulate", "^TestSnapshotSeeds$", []string{"-seeds", "200", "-shrink=false"}},
		},
		{
			name: "snapshots: own words are theirs, in a small test", what: "without get_messages the bot does not answer itself",
			at: "own-words", do: and("!m.rose"), by: in("bot", "^TestSnapshotOfOwnWords$"),
		},
		{
			name: "loops: accounts are strangers at a start", what: "accounts of one bot at a start",
			at: "enrolled", do: always, by: in("bot", "^TestAccountsOfOneBotAtAStart$"),
		},
		{
			name: "loops: an account that was removed is a stranger after a start", what: "an account that was removed stays one of ours",
			at: "ourselves-kept", do: drop, by: in("bot", "^TestAccountThatWasRemovedBeforeAStart$"),
		},
	}
}
