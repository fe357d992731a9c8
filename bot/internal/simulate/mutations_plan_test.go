package simulate_test

// planParts are mutations of what the command tells of campaigns.
func planParts() []mutation {
	return []mutation{
		{
			name: "plan: a file alone takes the others out", what: "a file alone is compared with its own campaigns",
			at: "plan-beside", do: never, by: in("cmd", "^TestPlanDiffOfOneFile$"),
		},
		{
			name: "plan: what is tried stands in its own way", what: "the first slot of a new campaign is a gap away",
			at: "init-week", do: swap("6", "0"), by: in("cmd/internal/starter", "^TestCampaignBeginsInAWeek$"),
		},
		{
			name: "plan: an approval is not known before the slot is looked at", what: "a plan counts what people have approved",
			at: "plan-ruled", do: swap("m.Book.Asked()", "m.Book.Asked()[:0]"), by: in("cmd", "^TestApprovingSlots$"),
		},
		{
			name: "plan: a pause that waits for a bot is not in it", what: "a plan has what people have asked for",
			at: "plan-asked-pause", do: never, by: in("cmd", "^TestPlanOfWishesWhileDown$"),
		},
		{
			name: "plan: an approval that waits for a bot is not in it", what: "a plan has what people have decided",
			at: "plan-asked-ruling", do: never, by: in("cmd", "^TestWhyOfAnApprovalWhileDown$"),
		},
		{
			name: "plan: what is over comes again", what: "a slot of the book is not planned, too",
			at: "plan-booked", do: never, by: in("cmd", "^TestCampaignsBesideTheBot$"),
		},
		{
			name: "plan: a calendar that says something else has its old number", what: "programs see which events have changed",
			at: "plan-sequence", do: never, by: in("cmd", "^TestPlanBringsACalendarUpToDate$"),
		},
		{
			name: "plan: what never stood in a calendar is cancelled there", what: "a calendar cancels only what stood in it",
			at: "plan-cancelled", do: never, by: in("cmd", "^TestBookOfTexts$"),
		},
		{
			name: "book: the file says what was published", what: "what is shown of a slot that is over is what left",
			at: "book-shown", do: never, by: in("cmd", "^TestBookOfTexts$"),
		},
		{
			name: "book: it has no words", what: "the book has the words as they left",
			at: "book-words", do: swap("a.Text", `""`), by: in("plugins/campaigns", "^TestBookStandsByItself$"),
		},
		{
			name: "book: nobody has approved it", what: "the book has who approved a slot",
			at: "book-approver", do: drop, by: in("plugins/campaigns", "^TestBookStandsByItself$"),
		},
		{
			name: "book: it stays when its campaign is forgotten", what: "a campaign that is forgotten has no book",
			at: "book-forgotten", do: drop, by: in("plugins/campaigns", "^TestForgetCampaign$"),
		},
		{
			name: "book: it names for ever who has approved", what: "a person who is forgotten is in no book",
			at: "book-nameless", do: never, by: in("cmd", "^TestBookOfTexts$"),
		},
		{
			name: "plan: what is approved leaves when its slot is over", what: "the outbox shows the minute of the slot",
			at: "outbox-minute", do: always, by: in("cmd", "^TestApprovingSlots$"),
		},
		{
			name: "plan: what is published is not counted", what: "the doctor counts what the budget counts",
			at: "doctor-published", do: returns("true"), by: in("cmd", "^TestDoctorCountsWhatRulesPublish$"),
		},
		{
			name: "plan: a repost that is gone is not missed", what: "an audit finds what the page does not show",
			at: "reposts-missing", do: never, by: in("cmd", "^TestAuditOfReposts$"),
		},
		{
			name: "plan: a repost that nobody planned is not told", what: "an audit finds what no campaign has made",
			at: "reposts-unplanned", do: never, by: in("cmd", "^TestAuditOfReposts$"),
		},
	}
}
