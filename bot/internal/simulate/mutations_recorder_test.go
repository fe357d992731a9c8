package simulate_test

// recorderParts are mutations of what is believed of the file that tells what was under way when a process died.
func recorderParts() []mutation {
	return []mutation{
		{
			name: "recorder: a file of another boot is believed", what: "nothing is said that is not proven",
			at: "recorder-boot", do: swap("!p.Here", "false"), by: in("bot/internal/recorder", "^TestNothingIsSaidThatIsNotProven$"),
		},
		{
			name: "recorder: a torn slot is empty", what: "nothing is said that is not proven",
			at: "recorder-torn", do: drop, by: in("bot/internal/recorder", "^TestNothingIsSaidThatIsNotProven$"),
		},
		{
			name: "recorder: what has no slot has not left", what: "what could not be written down may have left",
			at: "recorder-lossy", do: without(2, 2), by: in("bot/internal/recorder", "^TestWhatHasNoSlotMayHaveLeft$"),
		},
		{
			name: "recorder: of who was not served nothing has left", what: "nothing is said of an account of which not all was written down",
			at: "recorder-served", do: never, by: in("bot/internal/recorder", "^TestWhatIsLeftIsReported$"),
		},
		{
			name: "recorder: a request leaves unrecorded", what: "what may have arrived is not sent again after a death",
			at: "recorder-departs", do: never, by: in("bot", "^TestWhatHasNotLeftLeavesAtOnceAfterADeath$"),
		},
		{
			name: "recorder: what was on the wire is forgotten with the next start", what: "what may have arrived is not sent again after two deaths",
			at: "recorder-again", do: drop, by: in("bot", "^TestWhatHasNotLeftLeavesAtOnceAfterADeath$"),
		},
		{
			name: "recorder: everything may have left", what: "what has not left leaves at once after a death",
			at: "recorder-left", do: swap("again", "(again || true)"), by: in("bot", "^TestWhatHasNotLeftLeavesAtOnceAfterADeath$"),
		},
		{
			name: "recorder: it speaks of who has lived elsewhere", what: "nothing is said of an account that has moved in",
			at: "recorder-moved", do: drop, by: in("bot/internal/store", "^TestTheRecorderSaysNothingOfWhoHasMovedIn$"),
		},
	}
}
