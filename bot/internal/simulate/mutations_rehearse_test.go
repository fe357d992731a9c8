package simulate_test

// rehearsals are mutations of what is tried before it happens: campaigns on a clock that moves, and an own post that is probed.
func rehearsals() []mutation {
	return []mutation{
		{
			name: "try: time stands still", what: "a rehearsal is the plan, to the minute",
			at: "rehearse-clock", do: drop, by: in("cmd/internal/rehearsal", "^TestRehearsalIsThePlan$"),
		},
		{
			name: "try: what is published does not show", what: "what a rehearsal has done is there when it looks",
			at: "rehearse-publish", do: drop, by: in("cmd/internal/rehearsal", "^TestRehearsalIsThePlan$"),
		},
		{
			name: "try: nothing is reposted", what: "what a rehearsal has done is there when it looks",
			at: "rehearse-fact", do: never, by: in("cmd/internal/rehearsal", "^TestRehearsalIsThePlan$"),
		},
		{
			name: "try: an approval is never over", what: "what nobody approved says so when that is over",
			at: "rehearse-deadline", do: drop, by: in("cmd", "^TestTryCampaignScripts$"),
		},
		{
			name: "try: no edit waits", what: "an edit is rehearsed as it happens",
			at: "rehearse-edit", do: never, by: in("cmd/internal/rehearsal", "^TestRehearsalOfEdits$"),
		},
		{
			name: "probe: anybody's post", what: "the doctor touches no post but the account's own",
			at: "probe-own", do: never, by: in("cmd", "^TestDoctorRefusesToProbe$"),
		},
		{
			name: "probe: the post is left", what: "a post that is probed ends as it was",
			at: "probe-back", do: always, by: in("cmd", "^TestProbeIsPutBack$"),
		},
		{
			name: "probe: every renewal lifts", what: "renewals are asked for where they lift nothing",
			at: "probe-row", do: always, by: in("cmd", "^TestDoctorProbesForCampaigns$"),
		},
		{
			name: "probe: taken back without looking", what: "a post that is probed ends as it was",
			at: "probe-toggle", do: never, by: in("cmd", "^TestProbeIsPutBack$"),
		},
	}
}
