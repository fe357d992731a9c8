package judge_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

type verdictCase struct {
	name   string
	expect judge.Expect
	write  func(b *book)
	want   judge.Verdict
}

func runVerdictCases(t *testing.T, cases []verdictCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b book
			c.write(&b)
			if c.expect.Account == 0 {
				c.expect = everything
			}
			if diff := cmp.Diff(c.want, judge.Entries(b, c.expect)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVerdictOnMessages(t *testing.T) {
	t.Parallel()
	const s = time.Second
	runVerdictCases(t, []verdictCase{
		{name: "nothing happened", write: func(*book) {}, want: judge.Verdict{}},
		{name: "perfect", write: func(b *book) {
			b.say(ana, "a", "b")
			b.say(leo, "a")
			b.answer(leo, "echo: a")
			b.answer(ana, "echo: a", "echo: b")
		}, want: judge.Verdict{Messages: 3, Replies: 3, P50: 4 * s, P99: 4 * s}},
		{name: "lost", write: func(b *book) {
			b.say(ana, "a", "b", "c")
			b.answer(ana, "echo: a", "echo: c")
		}, want: judge.Verdict{
			Messages: 3, Replies: 2, Lost: 1, P50: 2 * s, P99: 3 * s,
			Details: []string{`lost: person 2 said "b" and never got "echo: b"`},
		}},
		{name: "doubled", write: func(b *book) {
			b.say(ana, "a")
			b.answer(ana, "echo: a", "echo: a")
		}, want: judge.Verdict{
			Messages: 1, Replies: 1, Doubled: 1, P50: s, P99: s,
			Details: []string{`doubled: person 2 got "echo: a" once more than was due`},
		}},
		{name: "to the wrong person", write: func(b *book) {
			b.say(ana, "a")
			b.answer(leo, "echo: a")
		}, want: judge.Verdict{Messages: 1, Lost: 1, Doubled: 1, Details: []string{
			`not due: person 3 got "echo: a"`, `lost: person 2 said "a" and never got "echo: a"`,
		}}},
		{name: "out of order", write: func(b *book) {
			b.say(ana, "a", "b", "c", "d")
			b.answer(ana, "echo: d", "echo: a", "echo: b", "echo: c")
		}, want: judge.Verdict{
			Messages: 4, Replies: 4, OutOfOrder: 1, P50: 5 * s, P99: 5 * s,
			Details: []string{`out of order: person 2 got "echo: d" before "echo: a" (1 such)`},
		}},
		{name: "order between people is free", write: func(b *book) {
			b.say(ana, "a")
			b.say(leo, "b")
			b.answer(leo, "echo: b")
			b.answer(ana, "echo: a")
		}, want: judge.Verdict{Messages: 2, Replies: 2, P50: s, P99: 3 * s}},
		{name: "twins", write: func(b *book) {
			b.say(ana, "a", "b", "a", "a")
			b.answer(ana, "echo: a", "echo: b", "echo: a", "echo: a")
		}, want: judge.Verdict{Messages: 4, Replies: 4, P50: 4 * s, P99: 4 * s}},
		{name: "a twin is missing, whichever", write: func(b *book) {
			b.say(ana, "a", "b", "a")
			b.answer(ana, "echo: b", "echo: a")
		}, want: judge.Verdict{
			Messages: 3, Replies: 2, Lost: 1, P50: 2 * s, P99: 4 * s,
			Details: []string{`lost: person 2 said "a" and never got "echo: a"`},
		}},
		{name: "a second answer to one message is none to a later twin", write: func(b *book) {
			b.say(ana, "a")
			b.answer(ana, "echo: a", "echo: a")
			b.say(ana, "a")
		}, want: judge.Verdict{Messages: 2, Replies: 1, Lost: 1, Doubled: 1, P50: s, P99: s, Details: []string{
			`doubled: person 2 got "echo: a" once more than was due`,
			`lost: person 2 said "a" and never got "echo: a"`,
		}}},
		{name: "space around a text does not count, within it does", write: func(b *book) {
			b.say(ana, "a b ", "c d")
			b.answer(ana, " echo: a b\n", "echo: c  d")
		}, want: judge.Verdict{Messages: 2, Replies: 1, Lost: 1, Doubled: 1, P50: 2 * s, P99: 2 * s, Details: []string{
			`not due: person 2 got "echo: c  d"`, `lost: person 2 said "c d" and never got "echo: c d"`,
		}}},
	})
}

func TestVerdictOnWhatIsExpected(t *testing.T) {
	t.Parallel()
	const s = time.Second
	several := func(e Entry) []string {
		if e.Text == "?" {
			return []string{"one", " ", "two"}
		}
		return nil
	}
	runVerdictCases(t, []verdictCase{
		{name: "several answers and none", expect: judge.Expect{Account: bot, Replies: several}, write: func(b *book) {
			b.say(ana, "?", "!", "?")
			b.answer(ana, "one", "two", "one")
		}, want: judge.Verdict{
			Messages: 3, Replies: 3, Lost: 1, P50: 3 * s, P99: 4 * s,
			Details: []string{`lost: person 2 said "?" and never got "two"`},
		}},
		{name: "late", expect: judge.Expect{Account: bot, Replies: echo, Within: 2 * s}, write: func(b *book) {
			b.say(ana, "a", "b")
			b.say(leo, "c")
			b.answer(leo, "echo: c")
			b.answer(ana, "echo: a")
		}, want: judge.Verdict{Messages: 3, Replies: 2, Lost: 1, Late: 1, P50: s, P99: 4 * s, Details: []string{
			`late: person 2 waited 4s for "echo: a"`, `lost: person 2 said "b" and never got "echo: b"`,
		}}},
		{name: "the backlog asks for nothing", expect: judge.Expect{Account: bot, Replies: echo, Since: 3}, write: func(b *book) {
			b.say(ana, "old")
			b.answer(ana, "echo: old")
			b.answer(ana, "echo: old")
			b.say(ana, "new")
			b.answer(ana, "echo: new", "echo: old")
		}, want: judge.Verdict{
			Messages: 1, Replies: 1, Doubled: 1, P50: s, P99: s,
			Details: []string{`not due: person 2 got "echo: old"`},
		}},
		{name: "nothing is expected", expect: judge.Expect{Account: bot}, write: func(b *book) {
			b.say(ana, "a")
			b.person(ana, Mentioned, 7)
			b.person(ana, Followed, 0)
			b.person(ana, Reposted, 8)
		}, want: judge.Verdict{Messages: 1}},
		{name: "other people's affairs", write: func(b *book) {
			b.add(Entry{Kind: Said, From: ana, To: leo, Text: "psst"})
			b.add(Entry{Kind: Mentioned, From: ana, To: leo, Post: 7})
			b.add(Entry{Kind: Reposted, From: ana, To: leo, Post: 7})
			b.add(Entry{Kind: Followed, From: ana, To: leo})
			b.add(Entry{Kind: SaidByPhone, From: bot, To: leo, Text: "hello from the owner"})
		}, want: judge.Verdict{}},
		{name: "logins and refreshes", write: func(b *book) {
			b.deed(LoggedIn, 0, 0)
			b.deed(Refreshed, 0, 0)
			b.deed(Refreshed, 0, 0)
			b.add(Entry{Kind: LoggedIn, From: leo, ByAPI: true})
		}, want: judge.Verdict{Logins: 1, Refreshes: 2}},
	})
}

func TestVerdictOnNotices(t *testing.T) {
	t.Parallel()
	const s = time.Second
	runVerdictCases(t, []verdictCase{
		{name: "thanked and welcomed, in no order", write: func(b *book) {
			b.say(ana, "a")
			b.person(ana, Reposted, 7)
			b.person(ana, Followed, 0)
			b.deed(Followed, ana, 0)
			b.answer(ana, "welcome", "echo: a", "thank you")
		}, want: judge.Verdict{Messages: 1, Replies: 1, P50: 5 * s, P99: 5 * s}},
		{name: "once ever", write: func(b *book) {
			b.person(ana, Reposted, 7)
			b.person(ana, Unreposted, 7)
			b.person(ana, Reposted, 7)
			b.person(ana, Reposted, 8)
			b.answer(ana, "thank you", "thank you", "thank you")
		}, want: judge.Verdict{Doubled: 1, Details: []string{`doubled: person 2 got "thank you" once more than was due`}}},
		{name: "never", write: func(b *book) {
			b.person(ana, Reposted, 7)
			b.person(leo, Followed, 0)
			b.deed(Followed, leo, 0)
		}, want: judge.Verdict{Lost: 2, Details: []string{
			`lost: person 2 reposted and never got "thank you"`, `lost: person 3 followed and never got "welcome"`,
		}}},
		{name: "taken back, answered or not", write: func(b *book) {
			for _, who := range []platform.UserID{ana, leo} {
				b.person(who, Reposted, 7)
				b.person(who, Unreposted, 7)
				b.person(who, Followed, 0)
				b.person(who, Unfollowed, 0)
			}
			b.answer(ana, "thank you", "welcome")
			b.deed(Followed, ana, 0)
		}, want: judge.Verdict{}},
		{name: "taken back, and something else thanked for", write: func(b *book) {
			b.person(ana, Reposted, 7)
			b.person(ana, Unreposted, 7)
			b.person(ana, Reposted, 8)
			b.answer(ana, "thank you")
		}, want: judge.Verdict{}},
		{name: "taken back and done again", write: func(b *book) {
			b.person(ana, Followed, 0)
			b.person(ana, Unfollowed, 0)
			b.person(ana, Followed, 0)
		}, want: judge.Verdict{Lost: 1, FollowsWrong: 1, Details: []string{
			`lost: person 2 followed and never got "welcome"`, `follow: person 2 has none and should have one`,
		}}},
		{name: "a block excuses what is open, until it ends", write: func(b *book) {
			b.say(ana, "a")
			b.person(ana, Followed, 0)
			b.person(ana, Mentioned, 7)
			b.person(ana, Blocked, 0)
			b.say(ana, "b")
			b.person(ana, Unblocked, 0)
			b.say(ana, "c", "d")
			b.answer(ana, "echo: c")
		}, want: judge.Verdict{
			Messages: 4, Replies: 1, Lost: 1, P50: 2 * s, P99: 2 * s,
			Details: []string{`lost: person 2 said "d" and never got "echo: d"`},
		}},
		{name: "a block ends what was before", expect: judge.Expect{Account: bot, Since: 1}, write: func(b *book) {
			b.deed(Followed, ana, 0)
			b.add(Entry{Kind: Unfollowed, From: bot, To: ana})
			b.person(ana, Blocked, 0)
		}, want: judge.Verdict{}},
		{name: "posts that answer", expect: judge.Expect{Account: bot, Publishes: echo}, write: func(b *book) {
			b.add(Entry{Kind: Mentioned, From: ana, To: bot, Post: 7, Text: "hey"})
			b.add(Entry{Kind: Replied, From: leo, To: bot, Post: 8, Text: "oh"})
			b.add(Entry{Kind: Mentioned, From: leo, To: bot, Post: 9, Text: "gone"})
			b.add(Entry{Kind: Deleted, From: leo, Post: 9})
			b.add(Entry{Kind: Published, From: bot, To: ana, Post: 10, Text: "echo: hey", ByAPI: true})
			b.add(Entry{Kind: Published, From: bot, To: ana, Post: 11, Text: "echo: hey", ByAPI: true})
		}, want: judge.Verdict{Lost: 1, Doubled: 1, Details: []string{
			`doubled: the account's page got "echo: hey" once more than was due`,
			`lost: person 3 replied and never got "echo: oh"`,
		}}},
	})
}

func TestVerdictOnToggles(t *testing.T) {
	t.Parallel()
	likes := judge.Expect{Account: bot, LikeMentions: true}
	runVerdictCases(t, []verdictCase{
		{name: "all as wished", write: func(b *book) {
			b.person(ana, Mentioned, 7)
			b.person(leo, Replied, 8)
			b.deed(Liked, ana, 7)
			b.deed(Reposted, ana, 7)
			b.deed(Liked, leo, 8)
		}, want: judge.Verdict{}},
		{name: "missing", write: func(b *book) {
			b.person(ana, Mentioned, 7)
			b.person(leo, Replied, 8)
		}, want: judge.Verdict{LikesWrong: 2, RepostsWrong: 1, Details: []string{
			"like: post 7 has none and should have one", "like: post 8 has none and should have one",
			"repost: post 7 has none and should have one",
		}}},
		{name: "unasked for", write: func(b *book) {
			b.deed(Liked, ana, 7)
			b.deed(Reposted, ana, 8)
			b.deed(Followed, ana, 0)
			b.deed(FollowRequested, leo, 0)
		}, want: judge.Verdict{LikesWrong: 1, RepostsWrong: 1, FollowsWrong: 2, Details: []string{
			"like: post 7 has one and should have none", "repost: post 8 has one and should have none",
			"follow: person 2 has one and should have none", "follow: person 3 has one and should have none",
		}}},
		{name: "flicker with a good end", expect: likes, write: func(b *book) {
			b.person(ana, Mentioned, 7)
			b.deed(Liked, ana, 7)
			b.deed(Unliked, ana, 7)
			b.deed(Liked, ana, 7)
		}, want: judge.Verdict{Flickers: 1, Details: []string{"flicker: the like of post 7 was switched 3 times"}}},
		{name: "flicker with a bad end", expect: likes, write: func(b *book) {
			b.person(ana, Mentioned, 7)
			b.deed(Liked, ana, 7)
			b.deed(Unliked, ana, 7)
		}, want: judge.Verdict{LikesWrong: 1, Flickers: 1, Details: []string{
			"like: post 7 has none and should have one", "flicker: the like of post 7 was switched 2 times",
		}}},
		{name: "the owner's own hand is no flicker", expect: likes, write: func(b *book) {
			b.person(ana, Mentioned, 7)
			b.add(Entry{Kind: Liked, From: bot, To: ana, Post: 7})
			b.add(Entry{Kind: Unliked, From: bot, To: ana, Post: 7})
			b.deed(Liked, ana, 7)
		}, want: judge.Verdict{}},
		{
			name:   "the backlog stays as it was",
			expect: judge.Expect{Account: bot, LikeMentions: true, Since: 3},
			write: func(b *book) {
				b.deed(Liked, ana, 7)
				b.deed(Liked, ana, 8)
				b.person(ana, Mentioned, 9)
				b.deed(Unliked, ana, 8)
			},
			want: judge.Verdict{LikesWrong: 1, Details: []string{"like: post 8 has none and should have one"}},
		},
		{name: "a deleted post", expect: likes, write: func(b *book) {
			b.person(ana, Mentioned, 7)
			b.add(Entry{Kind: Deleted, From: ana, Post: 7})
		}, want: judge.Verdict{}},
		{name: "a private follower is asked", expect: judge.Expect{Account: bot, FollowBack: true}, write: func(b *book) {
			b.person(ana, Followed, 0)
			b.deed(FollowRequested, ana, 0)
		}, want: judge.Verdict{}},
	})
}
