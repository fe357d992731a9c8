package simulate_test

// campaignFaultParts are mutations of what campaigns do when something is not as it was.
func campaignFaultParts() []mutation {
	const plugin = "plugins/campaigns"
	return []mutation{
		{
			name: "faults: found for two", what: "what was found for one slot is not shown for another",
			at: "found-fits", do: swap("a.Taken(p.ID)", "false"), by: in(plugin, "^TestFoundForTwoSlots$"),
		},
		{
			name: "faults: young when it is looked for", what: "a post is young enough at its slot",
			at: "found-fits", do: swap("slot.Sub", "t.Now.Sub"), by: in(plugin, "^TestFoundPostAtTheAgeOfItsSlot$"),
		},
		{
			name: "faults: what was found is not read", what: "a post that was found says at its slot what people approved",
			at: "found-read", do: swap("d.reads(item, choice{post: f.Post})", "choice{post: f.Post}, Why{}"), by: in(plugin, "^TestFoundPostReworded$"),
		},
		{
			name: "faults: nobody is told what stays empty", what: "what reads otherwise is told",
			at: "given-told", do: never, by: in(plugin, "^TestReworded$"),
		},
		{
			name: "faults: in the time of what was voided", what: "what is asked for anew has its own time",
			at: "slots-void-until", do: drop, by: decided("TestVoidedUntilIsForgotten"),
		},
		{
			name: "faults: a program is a hand", what: "what a program takes back is not out",
			at: "slots-tidied", do: never, by: in(plugin, "^TestTakenBackByAProgram$"),
		},
		{
			name: "faults: one panic stops all", what: "a campaign that panics is left out",
			at: "sick-with", do: drop, by: in(plugin, "^TestDecisionThatPanics$"),
		},
		{
			name: "faults: one id, two plans", what: "the check says nothing wrong of a campaign whose id is taken",
			at: "check-id-twice", do: swap("c.ids[camp.ID].At == camp.At", "true"), by: in("handlers/rules", "^TestFindings$/^campaign-id-twice$"),
		},
		{
			name: "faults: too young is fine", what: "the check says what is never found",
			at: "check-newer", do: never, by: in("handlers/rules", "^TestFindings$/^campaign-post-found-too-young$"),
		},
	}
}
