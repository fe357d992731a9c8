package simulate_test

// postgresParts are mutations of the store in PostgreSQL.
func postgresParts() []mutation {
	return []mutation{
		{
			name: "postgres: a lost answer is a failure", what: "what is said to have failed is not stored",
			at: "lost-answer", do: swap("&unclear.Error{Err: err}", "(&unclear.Error{Err: err}).Err"), by: in("bot/internal/store", "^TestCutCommits$"),
		},
		{
			name: "postgres: guesses are not looked at", what: "a trigger is handled once",
			at: "wrong-guess", do: swap("changed == 0", "changed < 0"), by: in("bot/internal/store", "^TestPostgres$"),
		},
		{
			name: "postgres: what is left of a connection stays", what: "a store goes on behind a connection that was cut in the middle of a group",
			at: "end-backend", do: swap("e.line.Exec(ctx, endBackend, e.pid, e.since)", "[][]int64(nil), error(nil)"), by: in("bot/internal/store", "^TestCutCommits$"),
		},
		{
			name: "postgres: the fence is open", what: "whose database was taken over stores nothing",
			at: "fence", do: never, by: in("bot/internal/store", "^TestFenced$"),
		},
		{
			name: "postgres: a database that has gone back", what: "a database that has lost commits is not written to",
			at: "lost-commits", do: swap("rows[0][1] < e.last", "rows[0][1] < 0"), by: in("bot/internal/store", "^TestLostCommits$"),
		},
		{
			name: "postgres: everybody has the lock", what: "a database has one process",
			at: "server-lock", do: swap("rows[0][0] == 1", "rows[0][0] <= 1"), by: in("bot/internal/store", "^TestOneProcessPerServer$"),
		},
		{
			name: "postgres: any server will do", what: "a server elsewhere has to prove who it is",
			at: "verify-full", do: drop, by: in("bot/internal/store", "^TestEncryptedUnlessSaidOtherwise$"),
		},
		{
			name: "postgres: an address may be read in two ways", what: "no part of a password is taken for a host",
			at: "url-one-way", do: always, by: in("bot/internal/postgres", "^TestPasswordsThatAreNotEncoded$"),
		},
		{
			name: "postgres: anybody is told the password", what: "a server that has not proven who it is hears no password in clear",
			at: "require-auth", do: never, by: in("bot/internal/postgres", "^TestPasswordInClear$"),
		},
		{
			name: "postgres: only proper texts", what: "texts are kept whatever their bytes are",
			at: "odd-bytes", do: always, by: in("bot/internal/store", "^TestPostgres$"),
		},
		{
			name: "postgres: inspectors all at once", what: "a number of a request is given once",
			at: "turnstile", do: swap("tx.ExecContext(ctx, SelectTurnstile)", "tx.ExecContext(ctx, `SELECT 1`)"), by: in("bot/internal/store", "^TestAnInspectorWaitsForAnother$"),
		},
		{
			name: "postgres: whoever publishes last", what: "of two who publish at once the second one is told",
			at: "published-meanwhile", do: swap("changed == 0", "changed < 0"), by: in("bot/internal/store", "^TestPublish$"),
		},
		{
			name: "postgres: accounts without rules", what: "what people write before something is published is answered",
			at: "waits-for-rules", do: never, by: in("cmd", "^TestRunByPublishedRules$"),
		},
		{
			name: "postgres: rules of another program", what: "who cannot act by what is published says so",
			at: "published-unfit", do: swap("v == nil", "false"), by: in("plugins/autoresponder", "^TestPublishedRules$"),
		},
		{
			name: "postgres: a change of an account that somebody else has changed", what: "of two that change an account at once one is told so",
			at: "account-version", do: never, by: in("bot/internal/store", "^TestStoredAccountsRefuse$"),
		},
	}
}
