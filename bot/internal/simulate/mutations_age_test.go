package simulate_test

import "fmt"

// ageParts are mutations of how long ago requests in doubt were given up, over starts and changes of hands.
func ageParts() []mutation {
	const carrying, storing = "bot/internal/outbox", "bot/internal/store"
	second := in(carrying, "^TestCrashBehindTheSecondRequest$")
	all := []mutation{
		{
			name: "age: it is not found", what: "lives that are short get on",
			at: "age-found", do: drop, by: in(carrying, "^TestShortIncarnations$"),
		},
		{
			name: "age: it is not stored at a stop", what: "stops that come again and again get on",
			at: "age-stop", do: drop, by: in(carrying, "^TestTimeBetweenIncarnations$"),
		},
		{
			name: "age: any boot is the same", what: "the time between two boots of a machine does not count",
			at: "age-boot", do: swap("age.Boot == c.Boot", "age.Boot != \"\""), by: in(carrying, "^TestTimeBetweenIncarnations$"),
		},
		{
			name: "age: the clock on the wall counts", what: "a clock that was set while no bot ran says nothing",
			at: "age-clock", do: swap("c.Steady()", "time.Duration(now.UnixNano())"), by: in(carrying, "^TestTimeBetweenIncarnations$"),
		},
		{
			name: "age: it is taken away with a later commit", what: "a crash right behind a second request",
			at: "age-durable", do: swap("a.dispatcher.cfg.Ledger.MarkNow(ctx, a.markOf(d))", "func() error { a.dispatcher.cfg.Ledger.QueueMarks(a.markOf(d)); return nil }()"), by: second,
		},
		{
			name: "age: what has ended gets one", what: "an age that comes late into the store is no later request's",
			at: "age-open", do: swap("`INSERT INTO doubt (shard, account, key, given_up, boot, steady, epoch) SELECT shard, account, key, ?, ?, ?, 0 FROM action\n\t\tWHERE shard = ? AND account = ? AND key = ? AND (state = 'sending' OR state = 'unsure')`",
				"`INSERT INTO doubt (shard, account, key, given_up, boot, steady, epoch) SELECT shard, account, key, ?, ?, ?, 0 FROM action\n\t\tWHERE shard = ? AND account = ? AND key = ?`"), by: in(storing, "^TestSQLite$"),
		},
		{
			name: "age: it is any owner's", what: "a worker of the version before calls again without a word",
			at: "age-owner", do: swap("` AND (epoch = 0 OR epoch >= coalesce((SELECT s.epoch FROM shard AS s WHERE s.shard = $1), 0) - 1)`", "``"), by: in(storing, "^TestAgesOfTheLastOwner$"),
		},
	}
	for what, but := range map[string]string{
		"messages": `d.Verb == "message"`, "posts": `d.Verb == "post"`, "likes": `d.Verb == "like"`, "reposts": `d.Verb == "repost"`, "follows": `d.Verb == "follow"`,
		"the first call of a renewal": `d.Verb == "renew" && !d.hasUndone()`, "the second call of a renewal": `d.hasUndone()`,
	} {
		all = append(all, mutation{
			name: fmt.Sprint("age: ", what, " keep it"), what: "a crash right behind a second request",
			at: "age-taken", do: swap("!d.aged", "!d.aged || "+but), by: second,
		})
	}
	return all
}
