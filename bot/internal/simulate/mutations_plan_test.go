package simulate_test

// planParts are mutations of what the command tells of campaigns.
func planParts() []mutation {
	return []mutation{
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
