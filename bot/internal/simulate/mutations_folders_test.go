package simulate_test

// folderParts are mutations of which account acts by which rules.
func folderParts() []mutation {
	const plugin = "plugins/autoresponder"
	return []mutation{
		{
			name: "folders: an account acts by the rules of another", what: "each account acts by the rules of its folder",
			at: "rules-of-account", do: always, by: in(plugin, "^TestFolders$"),
		},
		{
			name: "folders: a new account has nothing", what: "a new account acts by what is known of its folder",
			at: "rules-of-folder", do: never, by: in(plugin, "^TestNewAccountWithoutFiles$"),
		},
		{
			name: "folders: all are called about all", what: "people are called about the accounts of their folder",
			at: "called-account", do: returns("true"), by: in(plugin, "^TestTeamsOfFolders$"),
		},
		{
			name: "folders: a rule is paused on every account", what: "a rule is paused where it is known",
			at: "pause-here", do: returns("true"), by: in("cmd", "^TestCommandsAndFolders$"),
		},
	}
}
