package simulate_test

// calledParts are mutations of how people of ours are called.
func calledParts() []mutation {
	const senders, office = "handlers/notify", "plugins/autoresponder"
	return []mutation{
		{
			name: "called: any host is allowed", what: "notices go to hosts that are allowed, and to no other",
			at: "called-allowed", do: never, by: in(senders, "^TestHostsAllowed$|^TestMailIsSafe$"),
		},
		{
			name: "called: a redirect is followed", what: "a service leads nobody to an internal address",
			at: "called-redirect", do: returns("nil"), by: in(senders, "^TestNoRedirectIsFollowed$"),
		},
		{
			name: "called: an answer is read whole", what: "a service fills no memory and takes no time",
			at: "called-answer", do: swap("io.LimitReader(resp.Body, mostAnswer)", "resp.Body"), by: in(senders, "^TestAnswerIsNotReadWhole$"),
		},
		{
			name: "called: a connection is read like an answer", what: "a service that hands over its connection holds up nobody",
			at: "called-switched", do: always, by: in(senders, "^TestAnswersThatDoNotEnd$"),
		},
		{
			name: "called: a body is read for ever", what: "no service is waited for longer than ten seconds",
			at: "called-deadline", do: idle, by: in(senders, "^TestBodiesThatKnowNoContext$"),
		},
		{
			name: "called: errors repeat what they hear", what: "no error shows a token",
			at: "called-scrub", do: swap(`"…"`, "secret"), by: in(senders, "^TestErrorsShowNoToken$"),
		},
		{
			name: "called: words of an address are secrets", what: "an error says what went wrong",
			at: "called-words", do: always, by: in(senders, "^TestErrorsKeepOurOwnWords$"),
		},
		{
			name: "called: strangers write lines", what: "nobody takes a line of theirs for one of ours",
			at: "called-one-line", do: returns("clean(text)"), by: in(senders, "^TestNtfyWords$|^TestMailWords$"),
		},
		{
			name: "called: strangers call everybody", what: "no word of theirs rings others",
			at: "called-apart", do: returns("text"), by: in(senders, "^TestSlackWords$|^TestDiscordWords$|^TestTelegramWords$"),
		},
		{
			name: "called: strangers format Slack", what: "no link of theirs has another text",
			at: "called-slack", do: drop, by: in(senders, "^TestSlackWords$"),
		},
		{
			name: "called: strangers format Discord", what: "no link of theirs has another text",
			at: "called-discord", do: never, by: in(senders, "^TestDiscordWords$"),
		},
		{
			name: "called: mails need no TLS", what: "no password and no mail leaves the machine in the clear",
			at: "called-tls", do: swap("mail.TLSMandatory", "mail.TLSOpportunistic"), by: in(senders, "^TestMailTakesSTARTTLS$"),
		},
		{
			name: "called: unread digests come as often", what: "500 strangers in a night ring a dozen times",
			at: "called-rarer", do: swap("p.Rings", "1"), by: in(office, "^TestNightOfNewcomers$"),
		},
		{
			name: "called: what is urgent has time", what: "what is urgent is tried again within a minute",
			at: "urgent-tries", do: swap("urgentPause", "mostPause"), by: in(office, "^TestAsUrgentAs$"),
		},
		{
			name: "called: quiet hours are for nobody", what: "in quiet hours only what is urgent rings",
			at: "called-quiet", do: never, by: in(office, "^TestQuietHoursOfATeam$"),
		},
		{
			name: "called: nothing is urgent", what: "what is urgent rings in quiet hours",
			at: "called-urgent", do: swap("l.isUrgent(t)", "false"), by: in(office, "^TestQuietHoursOfATeam$"),
		},
		{
			name: "called: an address is tried for ever", what: "what an address does not take is given up and told elsewhere",
			at: "called-give-up", do: swap("giveUpAfter", "10 * giveUpAfter"), by: in(office, "^TestGivenUp$"),
		},
		{
			name: "called: what lasts is told again and again", what: "what lasts is told once",
			at: "called-once", do: never, by: in(office, "^TestWhatLasts$"),
		},
		{
			name: "called: alarms stay with the worker", what: "what lasts is told once, whoever has the account",
			at: "alarm-handed", do: swap("w.post.memory.Serves(a.Account)", "before == nil"), by: in(office, "^TestWhatLastsGoesWithTheAccount$"),
		},
		{
			name: "called: the heart beats whatever is wrong", what: "the heartbeat is called only while all is well",
			at: "called-heartbeat", do: swap("p.well(ctx, p.post.watchedBot(), c)", "(p.post.watchedBot() != nil)"), by: in(office, "^TestHeartbeat$"),
		},
		{
			name: "called: a stop waits for a call", what: "a call that does not end holds up no stop",
			at: "called-hangs", do: swap("lastWords + time.Second", "1000 * time.Hour"), by: in(office, "^TestCallThatDoesNotEnd$"),
		},
		{
			name: "called: quarantine calls nobody", what: "people hear of what could not be handled",
			at: "called-quarantine", do: drop, by: in("bot", "^TestQuarantineLasts$"),
		},
	}
}
