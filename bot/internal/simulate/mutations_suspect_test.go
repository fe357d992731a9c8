package simulate_test

// suspectParts are mutations of how a handler is found that ends the process.
func suspectParts() []mutation {
	const poison, workers = "^TestPoisonThatEndsTheProcess$", "^TestPoisonAmongWorkers$"
	return []mutation{
		{
			name: "suspects: nobody runs alone", what: "a handler that ends the process is found",
			at: "suspects", do: drop, by: in("bot", poison),
		},
		{
			name: "suspects: everybody runs beside them", what: "what runs alone is alone",
			at: "suspect-gate", do: swap("g.mayRun(l)", "true"), by: in("bot", poison),
		},
		{
			name: "suspects: nobody writes down whose code runs", what: "a handler that ends the process is found",
			at: "suspect-recorded", do: drop, by: in("bot", poison),
		},
		{
			name: "suspects: a death is not counted in the store", what: "tries stand in the store before the next one",
			at: "suspect-count", do: swap("a.bot.store.KeepSuspect(ctx, s)", "error(nil)"), by: in("bot", poison),
		},
		{
			name: "suspects: a disk that stumbles ends the start", what: "a start that cannot store a death at once tries it again",
			at: "suspect-count-again", do: always, by: in("bot", "^TestDeathIsCountedOnADiskThatStumbles$"),
		},
		{
			name: "suspects: deaths are in memory alone", what: "handlers that end the process are set aside whatever befalls the bot",
			at: "suspect-count", do: swap("a.bot.store.KeepSuspect(ctx, s)", "error(nil)"), by: among("deadly"),
		},
		{
			name: "suspects: it is tried for ever", what: "what has ended the process five times is set aside",
			at: "suspect-quarantine", do: never, by: in("bot", poison),
		},
		{
			name: "suspects: they go with its account", what: "a handler that ends the process is found, also when its account goes and comes again",
			at: "suspect-stays", do: always, by: in("bot", "^TestAccountThatGoesWithSuspects$"),
		},
		{
			name: "suspects: what is in memory alone is read anew", what: "others wait for a minute at most",
			at: "suspect-kept", do: drop, by: in("bot", poison),
		},
		{
			name: "suspects: a retry is none", what: "who is let try again has all tries",
			at: "suspect-forgiven", do: drop, by: in("bot", poison),
		},
		{
			name: "suspects: who waits for the platform is to blame", what: "a death while a turn waits for the platform is not its fault",
			at: "suspect-asking", do: swap("recorder.Asking", "recorder.Alone"), by: in("bot", "^TestWaitingForThePlatformIsNoFault$"),
		},
		{
			name: "suspects: workers suspect nothing", what: "a handler that ends one worker after another is found",
			at: "suspect-all", do: drop, by: in("bot", workers),
		},
		{
			name: "suspects: a hand-over counts as a death", what: "workers that are stopped carry tries, and count none",
			at: "suspect-left", do: always, by: in("bot", "^TestStopsCarryTries$"),
		},
		{
			name: "suspects: it stands nowhere which one runs alone", what: "before one runs alone that is durable",
			at: "suspect-alone-kept", do: drop, by: in("bot", workers),
		},
		{
			name: "suspects: the row stays", what: "the row of a suspect goes with its turn",
			at: "suspect-untried", do: drop, by: in("bot", workers),
		},
	}
}
