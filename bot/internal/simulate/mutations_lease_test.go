package simulate_test

// leaseParts are mutations of leases.
func leaseParts() []mutation {
	seeds, workers := in("bot/internal/lease", "^TestSeeds$"), "bot/internal/store"
	return []mutation{
		{
			name: "lease: counted from the answer", what: "a worker trusts its lease from before it asked for it",
			at: "lease-end", do: swap("sent", "max(sent, w.clock.Steady())"), by: seeds,
		},
		{
			name: "lease: by the clock on the wall", what: "clocks that are set decide nothing about who may act",
			at: "steady", do: swap("w.clock.Steady()", "time.Duration(w.clock.Wall().Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)))"), by: seeds,
		},
		{
			name: "lease: takeover too early", what: "nobody acts for a shard beside another worker",
			at: "term", do: swap("Term - p.still", "Term*3/4 - p.still"), by: seeds,
		},
		{
			name: "lease: looks that stall count", what: "while the board stands still nobody is declared dead",
			at: "stalled-looks", do: swap("good && w.good && asked-w.last <= 2*beatEvery", "good"), by: in("bot/internal/lease", "^TestBoardThatStandsStill$|^TestSeeds$"),
		},
		{
			name: "lease: any clock will do", what: "whose time of day is wrong takes no shards",
			at: "odd-clock", do: swap("p.odd >= oddLooks", "p.odd < 0"), by: in("bot/internal/lease", "^TestWhoMayHaveWhat$"),
		},
		{
			name: "lease: no guard", what: "nothing leaves after the lease",
			at: "guard-write", do: never, by: in("bot/internal/lease", "^TestGuardInTheMiddle$"),
		},
		{
			name: "lease: a part of a request is none", what: "what may have left is never said to have not",
			at: "partly-sent", do: never, by: in("bot/internal/lease", "^TestPartOfARequest$"),
		},
		{
			name: "lease: no deadman", what: "a process that stands still is ended with its lease",
			at: "arm", do: swap("w.cfg.Deadman.SetDeadline(until + killLate)", "error(nil)"), by: in("bot/internal/lease", "^TestBoardThatStandsStill$"),
		},
		{
			name: "lease: whoever is cut off is ended", what: "a process that keeps its requests back in time goes on",
			at: "shut-in-time", do: drop, by: in("bot/internal/lease", "^TestBoardThatStandsStill$"),
		},
		{
			name: "lease: a board that has gone back", what: "a worker stops when its database has lost what it had confirmed",
			at: "beat-back", do: never, by: in("bot/internal/lease", "^TestBoardThatWentBack$"),
		},
		{
			name: "lease: a report that is not stored undoes its beat", what: "a worker that others see has its lease",
			at: "beat-counts", do: swap("beat == 0", "err != nil"), by: in("bot/internal/lease", "^TestReportsThatAreNotStored$"),
		},
		{
			name: "lease: a shard that has come back is forgotten", what: "a shard is taken once with an epoch",
			at: "come-back", do: always, by: seeds,
		},
		{
			name: "lease: empty shards wait for their turn", what: "a stop takes no longer for shards in which there is nothing",
			at: "part-empty", do: never, by: in("bot/internal/lease", "^TestStopOfEmptyShards$"),
		},
		{
			name: "workers: nobody knows the others' accounts", what: "an account never answers one of another worker",
			at: "directory", do: drop, by: in("bot", "^TestAccountsOfOtherWorkers$"),
		},
		{
			name: "workers: a burst of accounts is read for ever", what: "who the accounts of others are is read as far as it is new",
			at: "directory-since", do: never, by: in("bot", "^TestAccountsOfOthersAreReadOnce$"),
		},
		{
			name: "board: a beat in between does not win", what: "whoever has moved is not taken over",
			at: "beat-between", do: swap("w.Beat != s.Beat", "false"), by: in(workers, "^TestBoardInMemory$"),
		},
		{
			name: "board: what is left of a worker stays", what: "a client that stands still in the middle of a group holds up no takeover",
			at: "end-backends", do: swap("b.askPool().ExecContext(ctx, endBackends, s.Worker, s.Epoch, s.Beat, remote.NameOfSeat(b.locks, s.Worker, s.Epoch))", "sql.Result(nil), error(nil)"),
			by: in(workers, "^TestFrozenInTheMiddle$"),
		},
		{
			name: "board: the fence stays", what: "whoever was taken over stores nothing",
			at: "raise-fence", do: swap("s.Epoch+1", "s.Epoch"), by: in(workers, "^TestTakeoverUnderLoad$|^TestWorkersTogether$"),
		},
	}
}
