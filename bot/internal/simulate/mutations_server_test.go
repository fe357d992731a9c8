package simulate_test

// serverParts are mutations of what workers do when their database comes to another server.
func serverParts() []mutation {
	return []mutation{
		{
			name: "server: any server will do", what: "a database that has come to another server answers nobody",
			at: "server-other", do: swap("accepted == nil", "false"), by: in("bot/internal/store", "^TestHome$"),
		},
		{
			name: "server: a failover goes unnoticed", what: "a server that has taken over without the last commits lets the workers begin with care",
			at: "server-failover", do: never, by: in("bot", "^TestWorkersDieWithTheirServer$"),
		},
		{
			name: "server: each failover loses something", what: "where commits waited for the standby nothing is lost, and nobody begins with care",
			at: "server-waits", do: swap("!was.Waits", "true"), by: in("bot", "^TestWorkersDieWithTheirServer$"),
		},
		{
			name: "server: nobody looks before a takeover", what: "accounts of a worker that has died with the server are taken over with care",
			at: "server-taken", do: swap("h.store.CheckServer(ctx)", "nil"), by: in("bot", "^TestTakeLooksAtTheServer$"),
		},
		{
			name: "server: all begin with care", what: "an account that has outlived a failover has no reason for care",
			at: "careful-outlived", do: swap("a.knowCareful(ctx, &c) != nil", "false"), by: in("bot", "^TestTakeoverAfterAFailover$"),
		},
		{
			name: "server: a person is called at night", what: "workers that have lost something by a failover begin anew by themselves",
			at: "server-survived", do: swap("err == nil", "false"), by: in("bot", "^TestWorkersOutliveAFailover$"),
		},
		{
			name: "server: a loss that was accepted is forgotten", what: "workers begin with care when somebody has accepted a loss",
			at: "accepted-care", do: swap("noteRestored(ctx, tx, &record.Restored{At: l.AcceptedAt, Sign: record.CarefulSaid, By: by})", "nil"), by: in("bot", "^TestWorkersOfADatabaseThatHasLostSomething$"),
		},
	}
}
