package simulate_test

// mutations are the known ways to break the runtime.
func mutations() []mutation { return append(guarantees(), parts()...) }

// guarantees are mutations that break what is promised; the simulator notices each.
func guarantees() []mutation {
	return []mutation{
		{
			name: "a cursor moves ahead of what is stored", what: "no event is lost",
			at: "cursor-advance", do: without(2, 2), by: simulator,
		},
		{
			name: "in doubt counts as done", what: "no action is lost",
			at: "in-doubt", do: returns("happened"), by: simulator,
		},
		{
			name: "in doubt is sent again", what: "nothing is sent twice",
			at: "in-doubt", do: returns("nothing"), by: simulator,
		},
		{
			name: "one look is enough", what: "an action is sent again only when it cannot arrive any more",
			at: "second-look", do: each(always, begin("misses++")), by: simulator,
		},
		{
			name: "a toggle is called without looking", what: "no like is undone",
			at: "toggle-look", do: never, by: simulator,
		},
		{
			name: "lanes begin with the newest", what: "the events of a conversation are handled in order",
			at: "lane-queue", do: replace("if len(l.queue) > 1 {\n\t\tl.queue = append(l.queue[:1:1], append([]*job{j}, l.queue[1:]...)...)\n\t} else {\n\t\tl.queue = append(l.queue, j)\n\t}"), by: simulator,
		},
		{
			name: "requests leave before the commit", what: "what was decided takes effect once",
			at: "commit-first", do: replace("w.fillGroup(g)\n\tdefer func() { _ = w.around(func() error { return w.apply(g) }) }()"), by: simulator,
		},
		{
			name: "what was being sent is forgotten", what: "no action is lost in a crash",
			at: "recover-open", do: drop, by: simulator,
		},
		{
			name: "what was being sent is sent again", what: "nothing is sent twice after a crash",
			at: "recover-in-doubt", do: swap("event.StateInDoubt", "event.StateSending"), by: simulator,
		},
		{
			name: "what others sent is taken for our own", what: "twins are told apart",
			at: "known-results", do: inner(never), by: simulator,
		},
		{
			name: "pending events are forgotten", what: "no event is lost in a crash",
			at: "pend", do: returns("nil"), by: simulator,
		},
		{
			name: "limits do not count", what: "a welcome comes once",
			at: "limit-use-taken", do: always, by: simulator,
		},
		{
			name: "a list is read to its first page", what: "a burst of notifications has no gap",
			at: "list-whole", do: always, by: simulator,
		},
	}
}
