package simulate_test

// mutations are the known ways to break the runtime.
func mutations() []mutation { return append(guarantees(), parts()...) }

// guarantees are mutations that break what is promised; the simulator notices each.
func guarantees() []mutation {
	return []mutation{
		{
			name: "a cursor moves ahead of what is stored",
			what: "no event is lost", file: "bot/ingest.go", by: simulator,
			old: "for len(queue) > 0 && queue[0].left == 0 {",
			new: "for len(queue) > 0 {",
		},
		{
			name: "unsure counts as done",
			what: "no action is lost", file: "bot/outbox/outcome.go", by: simulator,
			old: "	case platform.Unsure(err):\n		return unsure",
			new: "	case platform.Unsure(err):\n		return happened",
		},
		{
			name: "unsure is sent again",
			what: "nothing is sent twice", file: "bot/outbox/outcome.go", by: simulator,
			old: "	case platform.Unsure(err):\n		return unsure",
			new: "	case platform.Unsure(err):\n		return nothing",
		},
		{
			name: "one look is enough",
			what: "an action is sent again only when it cannot arrive any more", file: "bot/outbox/settle.go", by: simulator,
			old: "case !begun.Before(late):\n			misses++",
			new: "case !begun.IsZero():\n			misses = 2",
		},
		{
			name: "a toggle is called without looking",
			what: "no like is undone", file: "bot/outbox/toggle.go", by: simulator,
			old: "	if now.is(it.Want) {\n		it.reached(now, \"it was so already\")\n		return nil\n	}\n",
			new: "	_ = now\n",
		},
		{
			name: "lanes begin with the newest",
			what: "the events of a conversation are handled in order", file: "bot/lane.go", by: simulator,
			old: "	l.queue = append(l.queue, it)\n	b.start(ctx, l)",
			new: "	if len(l.queue) > 1 {\n		l.queue = append(l.queue[:1:1], append([]*item{it}, l.queue[1:]...)...)\n	} else {\n		l.queue = append(l.queue, it)\n	}\n	b.start(ctx, l)",
		},
		{
			name: "requests leave before the commit",
			what: "what was decided takes effect once", file: "bot/store/writer.go", by: simulator,
			old: "	w.store(g)\n	for i := range g.writes {",
			new: "	w.fill(g)\n	defer func() { _ = w.around(func() error { return w.apply(g) }) }()\n	for i := range g.writes {",
		},
		{
			name: "what was being sent is forgotten",
			what: "no action is lost in a crash", file: "bot/outbox/box.go", by: simulator,
			old: "	for i := range open {\n		it :=",
			new: "	for i := range open[:0] {\n		it :=",
		},
		{
			name: "what was being sent is sent again",
			what: "nothing is sent twice after a crash", file: "bot/outbox/box.go", by: simulator,
			old: "it := &item{Action: open[i], left: now, suspect: true}",
			new: "it := &item{Action: open[i], left: now}",
		},
		{
			name: "what others sent is taken for our own",
			what: "twins are told apart", file: "bot/outbox/product.go", by: simulator,
			old: "return known[p.id] })",
			new: "return known[p.id] && false })",
		},
		{
			name: "pending events are forgotten",
			what: "no event is lost in a crash", file: "bot/account.go", by: simulator,
			old: "	return b.pend(ctx, a)",
			new: "	return nil",
		},
		{
			name: "limits do not count",
			what: "a welcome comes once", file: "bot/store/sqlite_claim.go", by: simulator,
			old: "		if n > 0 {\n			continue\n		}\n		for _, taken",
			new: "		if n >= 0 {\n			continue\n		}\n		for _, taken",
		},
		{
			name: "a list is read to its first page",
			what: "a burst of notifications has no gap", file: "bot/poll/list.go", by: simulator,
			old: "	case !l.started && !s.unread, l.started && low <= s.end, s.unread && !unread:",
			new: "	case true:",
		},
	}
}
