package simulate_test

// unattributedParts are mutations of what keeps secrets in, and what strangers write out of terminals, files and replies.
func unattributedParts() []mutation {
	return []mutation{
		{
			name: "strangers: metrics are told under any name", what: "a web page of somebody else reads no metrics",
			at: "metrics-host", do: never, by: in("plugins/metrics", "^TestHosts$"),
		},
		{
			name: "strangers: a host is a name", what: "a reply has no link that a stranger chose",
			at: "name-host", do: returns("true"), by: in("bot/event", "^TestNamesToBeSaid$"),
		},
		{
			name: "strangers: signs are a name", what: "a reply calls for nobody because a stranger wants it",
			at: "name-signs", do: never, by: in("handlers/rules", "^TestNamesOfPeople$"),
		},
		{
			name: "strangers: a host has all ports", what: "a rule file reaches what was allowed alone",
			at: "webhook-port", do: returns("u.Hostname()"), by: in("plugins/autoresponder", "^TestWebhookPorts$"),
		},
		{
			name: "strangers: a notice is logged whole", what: "the log stays short whatever people write",
			at: "notice-bound", do: never, by: in("plugins/autoresponder", "^TestLongNotices$"),
		},
		{
			name: "strangers: the head of a sign-in is told", what: "new tokens are not printed",
			at: "sign-in-head", do: always, by: in("platform", "^TestSignInsKeepNoHead$"),
		},
		{
			name: "strangers: a sign-in is forgotten", what: "tokens are not printed by a later call",
			at: "known-secrets", do: returns("p.secretValues()"), by: in("platform", "^TestErrorsShowNoTokenOfASignIn$"),
		},
		{
			name: "strangers: hex is a word", what: "no secret is printed in hex",
			at: "disguise-hex", do: never, by: in("platform", "^TestSecretsInDisguise$"),
		},
		{
			name: "strangers: base64 is a word", what: "no secret is printed in base64",
			at: "disguise-base64", do: always, by: in("platform", "^TestSecretsInDisguise$"),
		},
		{
			name: "strangers: capitals are others", what: "no secret is printed in capitals",
			at: "disguise-case", do: never, by: in("platform", "^TestSecretsInCapitals$"),
		},
		{
			name: "strangers: secrets are looked for as they are", what: "no secret is printed in disguise",
			at: "disguise", do: drop, by: in("platform", "^TestSecretsInDisguise$"),
		},
		{
			name: "strangers: a link is no file", what: "the database is for its owner alone, and has one bot",
			at: "file-behind", do: always, by: in("bot/internal/store", "^TestModes$|^TestInUseUnderAnotherName$"),
		},
		{
			name: "strangers: formulas are left as they are", what: "no spreadsheet calculates what a stranger wrote",
			at: "defuse", do: never, by: in("cmd", "^TestDefused$"),
		},
		{
			name: "strangers: JSON passes signs on", what: "no stranger writes to a terminal",
			at: "json-signs", do: always, by: in("bot/config", "^TestLogIsFitForEyes$"),
		},
	}
}
