package judge

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/words"
	"pgregory.net/rapid"
)

// Whatever happens, reading in portions is reading at once, and the running count of what is owed
// is what the verdict finds missing or wrong.
func TestJudgeCountsAsItReads(t *testing.T) {
	t.Parallel()
	id := rapid.Custom(func(t *rapid.T) platform.UserID {
		return platform.UserID(rapid.IntRange(1, 3).Draw(t, "id"))
	})
	happening := rapid.Custom(func(t *rapid.T) emulator.Entry {
		return emulator.Entry{
			Kind: emulator.EntryKind(rapid.Uint8Range(uint8(emulator.Said), uint8(emulator.Deleted)).Draw(t, "kind")),
			From: id.Draw(t, "from"), To: id.Draw(t, "to"),
			Post:  platform.PostID(rapid.IntRange(0, 3).Draw(t, "post")),
			Text:  rapid.SampledFrom([]string{"", "a", "b", "thanks", "welcome"}).Draw(t, "text"),
			ByAPI: rapid.Bool().Draw(t, "by API"),
		}
	})
	say := func(text string) func(emulator.Entry) (string, bool) {
		return func(emulator.Entry) (string, bool) { return text, true }
	}
	same := func(e emulator.Entry) []string { return []string{e.Text} }

	rapid.Check(t, func(t *rapid.T) {
		expect := Expect{
			Account: 1, Since: rapid.Int64Range(0, 5).Draw(t, "since"),
			Replies: same, Publishes: same, ThankReposts: say("thanks"), WelcomeFollowers: say("welcome"),
			LikeMentions: true, LikeReplies: true, RepostMentions: true, FollowBack: true,
		}
		var all []emulator.Entry
		j := newJudge(expect, words.PersonNumber)
		for _, e := range rapid.SliceOfN(happening, 0, 100).Draw(t, "entries") {
			e.Seq = int64(len(all)) + 1
			e.At = time.Unix(e.Seq, 0)
			all = append(all, e)
			j.read(slices.Values(all[j.seq:]))
			v := j.verdict()
			if missing := v.Lost + v.LikesWrong + v.RepostsWrong + v.FollowsWrong; j.owed != missing {
				t.Fatalf("after %d entries %d are owed, and the verdict misses %d: %v", j.seq, j.owed, missing, v)
			}
		}
		if diff := cmp.Diff(Entries(all, expect), j.verdict()); diff != "" {
			t.Fatalf("at once (-) and in portions (+):\n%s", diff)
		}
	})
}
