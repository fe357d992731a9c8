package simulate_test

// moveParts are mutations of moves between databases.
func moveParts() []mutation {
	return []mutation{
		{
			name: "move: nothing is compared", what: "what has changed since a move was interrupted goes along",
			at: "move-compared", do: swap("there == t.sums[i]", "true || there == t.sums[i]"), by: in("bot/internal/store", "^TestMoveOfWhatChanges$"),
		},
		{
			name: "move: desks are not looked at", what: "what people do while a move is under way goes along",
			at: "move-meanwhile", do: never, by: in("bot/internal/store", "^TestMoveBesideAnInspector$"),
		},
		{
			name: "move: an account twice", what: "an account that is there already is not moved",
			at: "move-present", do: never, by: in("bot/internal/store", "^TestMoveOfPresentAccounts$"),
		},
		{
			name: "move: in the clear", what: "what comes into an encrypted database is encrypted",
			at: "moved-sealed", do: never, by: in("bot/internal/store", "^TestMoveThereAndBack$"),
		},
		{
			name: "move: nobody is fenced", what: "a bot that has lost its connection stores nothing where its account has left",
			at: "move-fence", do: swap("s.line.Exec(ctx, fenceAll)", "[][]int64(nil), error(nil)"), by: in("bot/internal/store", "^TestMoveFencesOthers$"),
		},
		{
			name: "move: half is enough", what: "no bot runs on what has not arrived as a whole",
			at: "arriving-refused", do: never, by: in("bot/internal/store", "^TestMoveIsCalledOff$"),
		},
		{
			name: "move: it runs where it was", what: "no bot runs on what was moved",
			at: "moved-refused", do: never, by: in("bot/internal/store", "^TestMoveThereAndBack$"),
		},
		{
			name: "move: an account signs in where it was", what: "an account that has gone alone signs in nowhere else",
			at: "moved-account", do: never, by: in("bot/internal/store", "^TestMoveOfPresentAccounts$"),
		},
	}
}
