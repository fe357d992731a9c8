package simulate_test

// guestParts are mutations that the judges of guests notice, and those of what the guests have found.
func guestParts() []mutation {
	return []mutation{
		{
			name: "guest rules: a denied claim is none", what: "a limit in total, over conversations that race for it",
			file: "bot/store/sqlite_turn.go", by: among("rules"),
			old: "		if limit != \"\" {", new: "		if limit != \"\" && false {",
		},
		{
			name: "guest rules: a burst is kept", what: "what is said in a row is answered once",
			file: "handlers/rules/decide_burst.go", by: simulator,
			old: "	d.state.Memory.Burst, d.changed = nil, true\n	if d.state.OwnerWrote", new: "	d.changed = true\n	if d.state.OwnerWrote",
		},
		{
			name: "guest second: the accounts are strangers", what: "the accounts of a bot do not talk to each other, also after a start",
			file: "bot/ourselves.go", by: simulator,
			old: "	if a.enrolled.Load() {\n", new: "	if true {\n",
		},
		{
			name: "snapshots: own words are theirs", what: "without get_messages the bot does not answer itself",
			file: "bot/poll/snapshots.go", by: proof{"bot/simulate", "^TestSnapshotSeeds$", []string{"-seeds", "200", "-shrink=false"}},
			old: "	case own: // what may have been said before it is hidden\n", new: "	case own && !m.rose:\n",
		},
		{
			name: "snapshots: own words are theirs, in a small test", what: "without get_messages the bot does not answer itself",
			file: "bot/poll/snapshots.go", by: in("bot", "^TestSnapshotOfOwnWords$"),
			old: "	case own: // what may have been said before it is hidden\n", new: "	case own && !m.rose:\n",
		},
		{
			name: "loops: accounts are strangers at a start", what: "accounts of one bot at a start",
			file: "bot/ourselves.go", by: in("bot", "^TestAccountsOfOneBotAtAStart$"),
			old: "	if a.enrolled.Load() {\n", new: "	if true {\n",
		},
	}
}
