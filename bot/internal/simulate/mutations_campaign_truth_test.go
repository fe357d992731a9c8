package simulate_test

// campaignTruthParts are mutations of what is read of the platform for campaigns, and of what becomes of them because of it.
func campaignTruthParts() []mutation {
	const plugin = "plugins/campaigns"
	return []mutation{
		{
			name: "campaigns: what is not told is no", what: "a repost that nothing shows is not made a second time",
			at: "toggle-untold", do: swap("errUntold", "nil"), by: in("bot/internal/outbox", "^TestUntoldRepostThatNoPageShows$"),
		},
		{
			name: "campaigns: what is not told is taken back", what: "nothing is called to take back what may not be there",
			at: "untold-undo", do: never, by: in("bot/internal/outbox", "^TestUntoldRepostIsTakenBack$"),
		},
		{
			name: "campaigns: a post that does not tell says no", what: "absence is not no",
			at: "reading-untold", do: never, by: in(plugin, "^TestPlatformThatDoesNotTell$"),
		},
		{
			name: "campaigns: no renewal lifts", what: "a higher row is seen",
			at: "lifts-row", do: never, by: in(plugin, "^TestFirstRenewalLifts$"),
		},
		{
			name: "campaigns: what is owed is nobody's business", what: "a repost that is owed for a day is told of",
			at: "owed-told", do: drop, by: in("bot", "^TestRenewalIsOwedForLong$/^running$"),
		},
		{
			name: "campaigns: at the edge", what: "more than so many are more",
			at: "stop-edge", do: swap("n > c.Stop.MoreThan.Max", "n >= c.Stop.MoreThan.Max"), by: in(plugin, "^TestStopByReplies$/^two$"),
		},
		{
			name: "campaigns: replies twice", what: "a reply counts once",
			at: "stop-once", do: replace("known := false"), by: in(plugin, "^TestStopByReplies$/^over_crashes$"),
		},
		{
			name: "campaigns: what was said days ago is forgotten", what: "replies count for the whole time of stop_if",
			at: "stop-forgets", do: swap("max(c.Stop.MoreThan.In, repliesFor+24*time.Hour)", "(repliesFor + 24*time.Hour)"), by: in(plugin, "^TestStopByRepliesOfManyDays$"),
		},
		{
			name: "campaigns: our own replies", what: "what we say ourselves does not count",
			at: "replies-own", do: swap("!p.IsOwner && p.UserID != me", "me != 0"), by: in(plugin, "^TestStopByReplies$/^our_own$"),
		},
		{
			name: "campaigns: deleted is hidden", what: "a post that is gone ends the campaign that says so",
			at: "reading-gone", do: swap("c.Stop.Deleted", "!c.Stop.Deleted"), by: in(plugin, "^TestStopByADeletedPost$"),
		},
		{
			name: "campaigns: numbers of any platform", what: "a link to another platform publishes nothing here",
			at: "reading-platform", do: never, by: decided("TestLinksOfAnotherPlatform"),
		},
		{
			name: "campaigns: deleted in the last seconds", what: "people read in their words that a post was deleted before its repost left",
			at: "refused-unseen", do: always, by: in(plugin, "^TestPostIsDeletedInTheLastSeconds$"),
		},
		{
			name: "campaigns: deleted in the last seconds, and it goes on", what: "a post that is deleted in the last seconds ends the campaign that says so",
			at: "unseen-stops", do: never, by: in(plugin, "^TestStopByAPostThatIsDeletedInTheLastSeconds$"),
		},
		{
			name: "campaigns: deleted and planned again", what: "a post that was deleted before its repost left is not planned again",
			at: "conclude-unseen", do: never, by: in(plugin, "^TestPostIsDeletedInTheLastSeconds$"),
		},
		{
			name: "campaigns: one post stops all", what: "what cannot be read does not keep other slots waiting",
			at: "reading-away", do: never, by: in(plugin, "^TestPostThatIsNeverRead$"),
		},
		{
			name: "campaigns: what is on its way was taken back", what: "what we have not finished was done by nobody's hand",
			at: "slots-moving", do: never, by: in(plugin, "^TestRepostOnItsWayIsNotTakenBack$"),
		},
		{
			name: "campaigns: until the next start", what: "a turn that failed for good is followed by another one",
			at: "sick-follow", do: drop, by: in(plugin, "^TestTurnThatFails$"),
		},
		{
			name: "campaigns: approved for whenever", what: "an approval is for the minute that was shown",
			at: "slots-approved-minute", do: never, by: in("handlers/campaigns", "^TestApprovedMinuteDoesNotShift$"),
		},
		{
			name: "campaigns: a post that is gone is a warning", what: "what a publication was about is no fault of the account's",
			at: "warned-target", do: swap("platform.Gone", "platform.Other"), by: in("bot/internal/outbox", "^TestWarned$"),
		},
	}
}
