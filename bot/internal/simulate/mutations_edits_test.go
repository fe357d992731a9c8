package simulate_test

// ran is a test of the plugin that runs campaigns.
func ran(run string) proof { return in("plugins/campaigns", "^"+run+"$") }

// editParts are mutations of how edits of campaigns come into force, of what people ask, and of what they are told.
func editParts() []mutation {
	return []mutation{
		{
			name: "asks: a pause is for what is not decided", what: "nothing leaves once its campaign is paused",
			at: "asks-halt", do: drop, by: ran("TestPausedAsItIsDecided"),
		},
		{
			name: "edits: a start calls people about what they have put in force", what: "who puts an edit in force while no bot runs is not called about it",
			at: "edit-untold", do: drop, by: ran("TestEditAppliedWhileDown"),
		},
		{
			name: "edits: nothing waits", what: "what takes slots away waits until people have seen it",
			at: "edit-waits", do: never, by: ran("TestEditWaits"),
		},
		{
			name: "edits: both accounts publish", what: "a campaign that moves waits for the account that it leaves",
			at: "shift-waits", do: never, by: ran("TestCampaignMovesToAnotherAccount"),
		},
		{
			name: "edits: a pause waits", what: "a more careful status counts at once",
			at: "edit-careful", do: drop, by: ran("TestEditOfAnEdit"),
		},
		{
			name: "edits: at once waits, too", what: "apply: at_once lets nothing wait",
			at: "edit-at-once", do: never, by: ran("TestApplyAtOnce"),
		},
		{
			name: "edits: what is prepared is not looked at", what: "an edit that voids an approval says so",
			at: "edit-voids", do: never, by: decided("TestDifferenceVoids"),
		},
		{
			name: "edits: a slot that moves goes and comes", what: "a slot under another clock of its day is moved",
			at: "edit-pairs", do: never, by: decided("TestDifference"),
		},
		{
			name: "edits: any mark will do", what: "what is remembered between turns is what is kept",
			at: "edit-mark", do: always, by: ran("TestAskToSkip"),
		},
		{
			name: "edits: on every account", what: "a campaign runs on its own account alone",
			at: "campaign-account", do: never, by: ran("TestUseOfAnotherAccount"),
		},
		{
			name: "edits: nobody is told of rules", what: "campaigns of files run",
			at: "rules-told", do: replace("_ = account"), by: ran("TestCampaignInAFile"),
		},
		{
			name: "edits: undone is in turn again", what: "what a person has taken back stays out until it is allowed",
			at: "asks-undone", do: drop, by: ran("TestAskToUndo"),
		},
		{
			name: "edits: the book does not hear of an undo", what: "what was taken back at the last minute is in the book",
			at: "concluding-book", do: drop, by: ran("TestAskToUndoAtTheLastMinute"),
		},
		{
			name: "edits: skipped and still approved", what: "what is prepared for a slot that is taken out does not leave",
			at: "asks-skip", do: drop, by: ran("TestAskToSkip"),
		},
		{
			name: "edits: paused for good", what: "a pause ends at its time",
			at: "slots-pause-until", do: swap("note.Until.IsZero()", "true"), by: ran("TestAskToPause"),
		},
		{
			name: "edits: reported again", what: "a report comes once",
			at: "report-once", do: drop, by: ran("TestReport"),
		},
		{
			name: "edits: over and over", what: "the end of a campaign is told once",
			at: "report-over", do: drop, by: ran("TestOver"),
		},
	}
}
