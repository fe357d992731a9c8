package simulate_test

// campaignFileParts are mutations of what campaigns in rule files are, and of what their check finds.
func campaignFileParts() []mutation {
	const rules = "handlers/rules"
	return []mutation{
		{
			name: "campaigns: everybody's are an account's", what: "each account has its own campaigns",
			at: "campaign-of-account", do: swap("c.Account == account", "true"), by: in(rules, "^TestCampaignsOfAccounts$"),
		},
		{
			name: "campaigns: nobody has to say whose", what: "a campaign says whose it is where several accounts act by its file",
			at: "check-account", do: never, by: in(rules, "^TestFindings$/^campaign-account-missing$"),
		},
		{
			name: "campaigns: an account that is not there is taken", what: "at a reload the old version stays in force",
			at: "check-for", do: drop, by: in("plugins/autoresponder", "^TestReloadOfAnUnknownAccount$"),
		},
		{
			name: "campaigns: never needs nothing", what: "a campaign that does not end has what ends its posts",
			at: "check-never", do: always, by: in(rules, "^TestFindings$/^campaign-ends-never-without-anything$"),
		},
		{
			name: "campaigns: the paused are in the way", what: "a paused campaign is in nobody's way",
			at: "check-paused", do: never, by: in(rules, "^TestFindings$/^campaign-fight-of-the-paused$"),
		},
		{
			name: "campaigns: watch is checked as watch", what: "files are checked for when they are live",
			at: "check-live", do: replace("to.Account = event.Account(account)"), by: in(rules, "^TestFindings$/^campaign-fight-on-watch$"),
		},
		{
			name: "campaigns: accounts fight", what: "each account has a calendar of its own",
			at: "check-apart", do: never, by: in(rules, "^TestFindings$/^campaign-accounts-apart$"),
		},
		{
			name: "campaigns: twins", what: "a text is not said twice within a day",
			at: "check-twins", do: never, by: in(rules, "^TestFindings$/^campaign-twins$"),
		},
	}
}
