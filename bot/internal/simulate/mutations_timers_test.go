package simulate_test

// timerParts are mutations of what becomes of a timer whose turn does not come about.
func timerParts() []mutation {
	return []mutation{
		{
			name: "timers: one that fails is in nobody's memory", what: "a timer is quarantined like an event",
			at: "timer-attempt", do: never, by: in("bot", "^TestTimerAfterQuarantine$"),
		},
		{
			name: "timers: a new incarnation counts anew", what: "the tries of a timer outlast a restart",
			at: "timer-tries", do: field("tries", drop), by: in("bot", "^TestTimerTriesOverRestarts$"),
		},
		{
			name: "timers: what has left a lane is there", what: "a timer that is tried again is due",
			at: "timer-done", do: without(2, 2), by: in("bot", "^TestTimerAfterQuarantine$"),
		},
		{
			name: "timers: a retry rings nobody", what: "a retry takes effect at once",
			at: "retry-timers", do: drop, by: in("bot", "^TestTimerAfterQuarantine$"),
		},
		{
			name: "timers: one without a route is used up", what: "a timer waits for a program that has a route for it",
			at: "orphan", do: always, by: among("reminded"),
		},
		{
			name: "timers: nobody adopts orphans", what: "a timer has its turn when its route is back",
			at: "adopt", do: never, by: in("bot", "^TestTimerWithout"),
		},
		{
			name: "timers: one that is put off is in time", what: "a timer that comes late knows how late",
			at: "put-off", do: drop, by: in("bot", "^TestLateness$"),
		},
		{
			name: "timers: no rules use up their timers", what: "a timer of the rules waits for rules",
			at: "timer-no-rules", do: never, by: in("plugins/autoresponder", "^TestTimersWhileNoRulesAreInForce$"),
		},
		{
			name: "timers: why forgets that it was late", what: "what a late retry decided can be told",
			at: "timer-late", do: field("Late", never), by: in("plugins/autoresponder", "^TestTimersWhileNoRulesAreInForce$"),
		},
	}
}
