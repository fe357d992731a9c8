package simulate_test

// marketerParts are mutations of what campaigns do at a slot, which the marketer has found.
func marketerParts() []mutation {
	return []mutation{
		{
			name: "marketer: approved is enough", what: "what is approved leaves when its slot has been decided, and not before",
			at: "slots-decided-first", do: swap("v.Until", "v.At"), by: in("plugins/campaigns", "^TestApprovedAndDecided$"),
		},
		{
			name: "marketer: a disk that takes nothing ends a start", what: "a bot starts when the disk takes nothing for a moment",
			at: "until-start-lasts", do: begin("return err"), by: in("bot/outbox", "^TestUntilAndADiskThatRefuses$"),
		},
	}
}
