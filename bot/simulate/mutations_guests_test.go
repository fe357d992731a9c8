package simulate_test

// among is the simulator with a guest in every run, who notices within 300 seeds.
func among(guest string) proof {
	return proof{"bot/simulate", "^TestSeeds$", []string{"-guest", guest, "-seeds", "300", "-shrink=false"}}
}

// visitorParts are mutations that break what the four people have nothing to do with; a guest notices each.
func visitorParts() []mutation {
	return []mutation{
		{
			name: "guests: a deletion does not wait", what: "what is deleted before it is settled is not made again",
			file: "bot/outbox/carry.go", by: among("deleter"),
			old: "it.Verb.Deletes() && !b.afterMakers(ctx, ch, it) || ", new: "",
		},
		{
			name: "guests: a deletion leaves before what was found is stored", what: "what was deleted is not made again after a crash",
			file: "bot/outbox/remove.go", by: in("bot/outbox", "^TestCrashBehindADeletion$"),
			old: "	return b.markNow(ctx)\n", new: "	return true\n",
		},
		{
			name: "guests: an edited text is forgotten", what: "what people decide about what is held",
			file: "bot/desk.go", by: among("decider"),
			old: "		a.Text = q.Text\n", new: "",
		},
		{
			name: "guests: a retry is not tried", what: "quarantined events are tried again",
			file: "bot/lane.go", by: among("decider"),
			old: "		b.tryAgain(ctx, l.account, out.Retry)\n", new: "",
		},
		{
			name: "guests: whoever refused a message once is not answered", what: "who comes back is answered",
			file: "bot/unreachable.go", by: among("quitter"),
			old: "if t.Event.Kind == event.KindMessage && ", new: "if t.Event.Kind == event.KindFollow && ",
		},
		{
			name: "guests: texts are compared as they were sent", what: "texts that the platform trims and escapes",
			file: "bot/outbox/text.go", by: among("rewriter"),
			old: "	sent, shown = fold(sent), fold(shown)\n", new: "",
		},
		{
			name: "guests: a changed text is not there", what: "texts that the platform changes",
			file: "bot/outbox/settle.go", by: among("rewriter"),
			old: "b.rewrites.Load() || alike(it.Text, p.text)", new: "false && p.id == 0",
		},
	}
}
