package simulate_test

// endlessParts are mutations of what ends the reading of answers that do not end by themselves.
func endlessParts() []mutation {
	return []mutation{
		{
			name: "endless: a connection is read like an answer", what: "an answer that hands over its connection is unreadable at once",
			at: "body-switched", do: swap("http.StatusSwitchingProtocols", "-1"), by: in("platform", "^TestAnswersThatDoNotEnd$"),
		},
		{
			name: "endless: a body is read for ever", what: "nothing reads a body beyond the deadline of its call",
			at: "body-deadline", do: idle, by: in("platform", "^TestBodiesThatKnowNoContext$"),
		},
		{
			name: "endless: a deadline lasts beyond its call", what: "a deadline closes no body of another call",
			at: "body-released", do: swap("d.timer.Stop()", "true"), by: in("platform", "^TestDeadlinesAreNotMixedUp$"),
		},
		{
			name: "lean: a closed connection is used", what: "a request is not written to a connection that the server has closed",
			at: "lean-look", do: never, by: in("platform/internal/lean", "^TestKeptConnections$"),
		},
		{
			name: "lean: TLS has read ahead", what: "no answer behind TLS is taken for that to another request",
			at: "lean-ahead", do: swap("n == 0 && errors.Is(err, os.ErrDeadlineExceeded)", "n >= 0 || errors.Is(err, os.ErrDeadlineExceeded)"), by: in("platform/internal/lean", "^TestUnaskedAnswersBehindTLS$"),
		},
		{
			name: "lean: nothing ever left", what: "of a request of which a part was written it is never said that nothing left",
			at: "lean-written", do: swap("n > 0", "n < 0"), by: in("platform/internal/lean", "^TestEndsWithItsContext$"),
		},
		{
			name: "lean: what may have left goes again", what: "a request leaves once, unless nothing of it has left or it only asks",
			at: "lean-asked", do: swap("isIdempotent(r)", "true"), by: in("platform/internal/lean", "^TestEndsWithoutAnAnswer$"),
		},
		{
			name: "lean: a new connection is tried again", what: "a request of which nothing left fails when its connection is new",
			at: "lean-again", do: swap("kept && n == 0", "n == 0"), by: in("platform/internal/lean", "^TestNothingLeft$"),
		},
		{
			name: "lean: bytes that nobody asked for", what: "no answer is taken for that to another request",
			at: "lean-kept", do: swap("e.conn.in.Buffered() > 0", "false"), by: in("platform/internal/lean", "^TestUnaskedAnswers$"),
		},
		{
			name: "lean: a connection that was handed over", what: "an answer that hands over its connection ends it",
			at: "lean-switched", do: swap("resp.StatusCode != http.StatusSwitchingProtocols", "true"), by: in("platform/internal/lean", "^TestSwitchedProtocols$"),
		},
		{
			name: "endless: a connection refuses a refresh", what: "a refresh token is dropped by a clear no alone",
			at: "refresh-switched", do: swap("status >= http.StatusOK", "true"), by: in("platform/session", "^TestRefreshThatHandsOverItsConnection$"),
		},
		{
			name: "endless: what waits for the pace is stuck", what: "polls that wait for the pace of their host keep their place",
			at: "stuck-paced", do: never, by: in("bot/internal/poll", "^TestPacedCallIsNotEnded$"),
		},
		{
			name: "endless: what does not end is waited for", what: "a call that ignores its end holds up no poll",
			at: "stuck-left", do: drop, by: in("bot/internal/poll", "^TestStuckCallIsEnded$"),
		},
		{
			name: "endless: a watchdog only tells", what: "a stuck poll begins anew",
			at: "stuck-watched", do: never, by: in("bot", "^TestPollThatIsStuckBeginsAnew$"),
		},
	}
}
