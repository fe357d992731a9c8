package simulate_test

// pagesParts are mutations of what bounds the memory of pages, and of what makes that no loss.
func pagesParts() []mutation {
	burst := func(cases string) proof { return in("bot/internal/poll", "^TestBurstsInAnyRoom$/"+cases) }
	return []mutation{
		{
			name: "pages: all rows are kept", what: "a page takes no more memory than rows that it was asked for",
			at: "rows-kept", do: always, by: in("platform", "^TestRowsKept$"),
		},
		{
			name: "pages: the first rows are not enough", what: "a page of posts or people is bounded, too",
			at: "rows-first", do: swap("len(k.items) == k.most", "false"), by: in("platform", "^TestRowsFirst$"),
		},
		{
			name: "pages: the farthest rows are kept", what: "of a page, the rows stay that the reading goes on with",
			at: "rows-nearest", do: swap("cmp.Compare(b.ID, a.ID)", "cmp.Compare(a.ID, b.ID)"), by: in("platform", "^TestRowsKept$"),
		},
		{
			name: "pages: a page that was cut is the last one", what: "what was not kept of a page is read with the next one, or of the same",
			at: "page-again", do: never, by: in("platform", "^TestListsOfLongPages$"),
		},
		{
			name: "pages: a poll reads no page twice", what: "what stands on a page of which a part was kept, and on no other",
			at: "whole-page", do: never, by: burst("everything,_ascending"),
		},
		{
			name: "pages: any room", what: "one budget of memory bounds what was read and not handed over",
			at: "room", do: never, by: in("bot/internal/poll", "^TestRoom$"),
		},
		{
			name: "pages: a part moves the cursor to the top", what: "a crash goes on where a part was handed over",
			at: "part-cursor", do: drop, by: burst(".*,_none,_crashes_true"),
		},
		{
			name: "pages: a part delivers what stands above", what: "rows of a list that knows no offset come in order",
			at: "part-rows", do: swap("int64(n.ID) >= d.from", "false"), by: burst("everything,_no_offset"),
		},
		{
			name: "pages: nobody hears of a reading without end", what: "a list that is read for minutes is told",
			at: "long-reading", do: drop, by: in("bot/internal/poll", "^TestReadingWithoutEnd$/notifs"),
		},
		{
			name: "pages: nobody hears of a chat without end", what: "a chat that is read for minutes is told",
			at: "long-chat", do: drop, by: in("bot/internal/poll", "^TestReadingWithoutEnd$/messages"),
		},
		{
			name: "pages: nobody is called for a reading without end", what: "people are told of it",
			at: "reading-told", do: always, by: in("plugins/autoresponder", "^TestCalledForAReadingWithoutEnd$"),
		},
	}
}
