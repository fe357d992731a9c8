package simulate_test

// decided is a test of what campaigns decide.
func decided(run string) proof { return in("handlers/campaigns", "^"+run+"$") }

// slotParts are mutations of which slots there are, and of what is decided about them.
func slotParts() []mutation {
	return []mutation{
		{
			name: "slots: jitter from a generator", what: "the plan shows the real minute",
			at: "slots-jitter", do: swap("draw", "(draw + uint64(time.Now().UnixNano()>>10))"), by: decided("TestPlanIsWhatHappens"),
		},
		{
			name: "slots: clocks do not change", what: "slots are times on the wall",
			at: "slots-wall", do: replace("at = time.Date(day.Year, day.Month, day.Day, int(c)/60, int(c)%60, 0, 0, w.zone)"), by: decided("TestSlotsOfOddChanges"),
		},
		{
			name: "slots: every day is one", what: "days on which nothing comes",
			at: "slots-except", do: never, by: decided("TestTurnsInOrder"),
		},
		{
			name: "slots: there since ever", what: "a slot exists from when it came into force",
			at: "slots-since", do: returns("false"), by: decided("TestEditWhileASlotIsOpen"),
		},
		{
			name: "slots: an edit takes what is open", what: "what was not decided is still to be",
			at: "slots-open", do: never, by: decided("TestEditWhileASlotIsOpen"),
		},
		{
			name: "slots: a new clock is a new slot", what: "what has happened is not there a second time",
			at: "slots-pair", do: never, by: decided("TestEditsOfSlots"),
		},
		{
			name: "slots: what moved comes again", what: "what has happened is not there a second time",
			at: "slots-moved", do: never, by: decided("TestEditsOfSlots"),
		},
		{
			name: "slots: at once what has its time", what: "a slot is decided when its time has come",
			at: "slots-early", do: never, by: ran("TestAnotherThanWasToBeAskedFor"),
		},
		{
			name: "slots: twice", what: "a slot is decided once",
			at: "slots-twice", do: never, by: decided("TestDecidedOnce"),
		},
		{
			name: "slots: posts are kept by line", what: "whatever line is added, the others keep what is remembered",
			at: "slots-by-post", do: without(2, 2), by: decided("TestPostThatIsPutBack"),
		},
		{
			name: "slots: a removed post takes the place with it", what: "whatever line is removed, nothing else shifts",
			at: "slots-align", do: never, by: decided("TestPostsAreKeptByPost"),
		},
		{
			name: "slots: always the first post", what: "posts take turns",
			at: "slots-place", do: drop, by: decided("TestTurnsInOrder"),
		},
		{
			name: "slots: who is passed over has had its turn", what: "a post that may not come now is first the next time",
			at: "slots-owed", do: returns("all"), by: decided("TestTurnsInOrder"),
		},
		{
			name: "slots: rounds do not know each other", what: "no post twice in a row over the seam",
			at: "slots-seam", do: swap("d.Campaign.Turn != Shuffle", `d.Campaign.Turn != ""`), by: decided("TestTurnsShuffled"),
		},
		{
			name: "slots: only the later one keeps apart", what: "distance from anything else",
			at: "slots-apart", do: swap("max(apart, p.Apart)", "apart"), by: decided("TestDistance"),
		},
		{
			name: "slots: who comes late takes the next one's place", what: "what is too close to something late waits as long as it is in time",
			at: "slots-unplanned", do: swap("p.Late", "false"), by: decided("TestWhatIsTooCloseToSomethingLateWaits"),
		},
		{
			name: "slots: nothing was late", what: "a moment without the platform takes no second slot",
			at: "conclude-late", do: swap("o.At.After(e.Minute)", "false"), by: ran("TestLateSlotBeforeTheNext"),
		},
		{
			name: "slots: a repost by hand is as old as its post", what: "what was reposted by hand keeps its gap",
			at: "slots-by-hand", do: swap("f.countedAt(d.Now)", "f.Since"), by: ran("TestRepostedByHandKeepsItsGap"),
		},
		{
			name: "slots: what was read for an approval is forgotten", what: "an approval of a renewal of a repost by hand outlasts a start",
			at: "asks-learnt", do: drop, by: ran("TestApprovedRenewalOfARepostByHand"),
		},
		{
			name: "slots: hands publish nothing", what: "a slot keeps its distance from what a person publishes",
			at: "hands-posts", do: always, by: ran("TestTextGivesWayToAHand"),
		},
		{
			name: "slots: no budget", what: "an account publishes so much at most",
			at: "slots-budget", do: never, by: decided("TestLimits"),
		},
		{
			name: "slots: never late", what: "an outage becomes no flood",
			at: "slots-late", do: never, by: decided("TestMissed"),
		},
		{
			name: "slots: next_slot is skip", what: "a post keeps its turn with next_slot",
			at: "slots-no-room", do: swap("next", "false"), by: decided("TestMissed"),
		},
		{
			name: "slots: an edit that waits is let come", what: "nothing comes of a post that an edit takes out while it waits",
			at: "slots-withheld", do: never, by: in("plugins/campaigns", "^TestEditThatTakesAPostOut$"),
		},
		{
			name: "slots: other posts are no edit", what: "an edit waits by which slots get other posts",
			at: "edit-swaps", do: swap("d.Swaps", "nil"), by: decided("TestDifference"),
		},
		{
			name: "slots: no room costs the turn", what: "a post keeps its turn where a limit leaves its slot empty",
			at: "slots-no-room", do: swap("d.full", "false"), by: decided("TestTurnsWhereThereIsNoRoom"),
		},
		{
			name: "slots: a moved slot comes twice", what: "a slot that a person moves comes at its new minute alone",
			at: "slots-rescheduled", do: without(1, 2), by: decided("TestMovedSlotsComeOnce"),
		},
		{
			name: "slots: a moved slot is forgotten", what: "what is known of a moved slot holds until it is over",
			at: "slots-rescheduled-kept", do: without(2, 2), by: decided("TestMovedSlotIsNotForgotten"),
		},
		{
			name: "slots: accounts come at once", what: "a campaign of several accounts comes on one after the other",
			at: "slots-behind", do: swap("campaign.Behind", "0"), by: decided("TestCampaignOfSeveralAccounts"),
		},
		{
			name: "slots: no gap", what: "a post does not come again within its gap",
			at: "slots-gap", do: always, by: decided("TestGapOverAllCampaignsOfTheAccount"),
		},
		{
			name: "slots: a day is 24 hours", what: "whole days of a gap are counted on the wall",
			at: "slots-gap-wall", do: never, by: decided("TestGapOnTheWall"),
		},
		{
			name: "slots: authors are told all day", what: "other people's posts once a day at most",
			at: "slots-low-water", do: never, by: decided("TestGapOfOtherPeoplesPosts"),
		},
		{
			name: "slots: not_before is nothing", what: "not_before",
			at: "slots-not-before", do: never, by: decided("TestTurnsInOrder"),
		},
		{
			name: "slots: what is not said is no", what: "no renewal where posts do not tell",
			at: "slots-silent", do: never, by: decided("TestPlatformThatDoesNotSay"),
		},
		{
			name: "slots: what was taken back by hand comes again", what: "a marketer does not meet it again",
			at: "slots-undone", do: never, by: decided("TestFactsOfAPost"),
		},
		{
			name: "slots: the first renewal is live", what: "a renewal is asked for until one was seen to lift a post",
			at: "slots-first-renewal", do: without(2, 2), by: decided("TestFirstRenewalIsAsked"),
		},
		{
			name: "slots: the renewal before is taken for granted", what: "a renewal is asked for until one was seen to lift a post",
			at: "slots-lifts-known", do: drop, by: decided("TestSecondRenewalBeforeTheFirst"),
		},
		{
			name: "slots: an approval has no deadline", what: "what nobody approved in time does not come",
			at: "slots-deadline", do: always, by: decided("TestApproval"),
		},
		{
			name: "slots: any approval counts", what: "what nobody approved in time does not come",
			at: "slots-given", do: without(3, 3), by: decided("TestApproval"),
		},
		{
			name: "slots: an approval is for any minute", what: "an approval is for the minute that was shown",
			at: "slots-void-minute", do: never, by: decided("TestApprovalIsForWhatWasShown"),
		},
		{
			name: "slots: an approval is for any way", what: "an approval is for the way that was shown",
			at: "slots-void-way", do: never, by: decided("TestApprovalIsForWhatWasShown"),
		},
		{
			name: "slots: another post takes an approved slot", what: "an approval is for one post",
			at: "slots-bound", do: never, by: decided("TestApprovalIsForWhatWasShown"),
		},
		{
			name: "slots: what did not come about counts", what: "what did not come about is given back",
			at: "slots-give-back", do: drop, by: decided("TestConclude"),
		},
		{
			name: "slots: what a campaign that is gone has published is close to nothing", what: "what was decided keeps its distance",
			at: "conclude-apart", do: swap("p.Apart", "min(p.Apart, c.KeepApart)"), by: decided("TestConclude"),
		},
		{
			name: "slots: what is decided leaves first", what: "what a person wants while the bot is down goes before what is decided",
			at: "wished-wait", do: drop, by: ran("TestDecidedAndWishedWhileDown"),
		},
		{
			name: "slots: a start waits for what hangs", what: "what does not come to an end keeps nothing else for long",
			at: "wished-end", do: drop, by: in("bot", "^TestWishThatHangs$"),
		},
		{
			name: "slots: a start does what is due first", what: "what a person wants while the bot is down goes before what is due",
			at: "requests-first", do: drop, by: ran("TestWishedWhileDown"),
		},
		{
			name: "slots: the plan forgets", what: "the plan is every decision after the one before",
			at: "slots-fold", do: drop, by: decided("TestPlanIsWhatHappens"),
		},
		{
			name: "slots: the first by name comes first", what: "the earlier slot comes first, also when it is late",
			at: "slots-order", do: never, by: decided("TestWhatIsTooCloseWaits"),
		},
		{
			name: "slots: what is over is not read again", what: "a new bot remembers the slots of the last days",
			at: "sheets-read", do: swap("c.Sheets", "c.Sheets[:0]"), by: ran("TestSlotsOfTheLastDays"),
		},
		{
			name: "slots: what is forgotten is kept", what: "what is kept of a campaign does not grow",
			at: "sheets-drop", do: drop, by: ran("TestSlotsOfTheLastDays"),
		},
		{
			name: "slots: it is looked after twice the time", what: "what ends late is in the book soon",
			at: "concluding-steps", do: swap("partUnconcluded", "1"), by: ran("TestWhatEndsLateIsSoonInTheBook"),
		},
	}
}
