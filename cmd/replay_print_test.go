package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/replay"
	rulereplay "github.com/nectar-bot/nectar/handlers/rules/replay"
	"pgregory.net/rapid"
)

func texts() *rapid.Generator[string] {
	word := rapid.StringMatching(`[a-e日本€👍]{1,14}`)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 20).Draw(t, "words"), " ")
	})
}

// No line is wider than it may be, and nothing is lost.
func TestWrapped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, width := texts().Draw(t, "text"), rapid.IntRange(4, 40).Draw(t, "width")
		lines := print.WrapText(text, width)
		for _, line := range lines {
			if print.TextWidth(line) > width {
				t.Errorf("%q is %d wide, and may be %d", line, print.TextWidth(line), width)
			}
		}
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, lines)
		}
	})
}

// Marks say which words differ: without them, and without the words between them, both sides are the same.
func TestMarkedWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		was, is := texts().Draw(t, "was"), texts().Draw(t, "is")
		left, right := print.MarkedWords(was, is)
		if got := strings.NewReplacer("[-", "", "-]", "").Replace(left); got != was {
			t.Errorf("%q marked is %q", was, left)
		}
		if got := strings.NewReplacer("{+", "", "+}", "").Replace(right); got != is {
			t.Errorf("%q marked is %q", is, right)
		}
		if a, b := unmarked(left, "[-", "-]"), unmarked(right, "{+", "+}"); a != b {
			t.Errorf("%q and %q have %q and %q in common", left, right, a, b)
		}
	})
}

// unmarked returns the words outside of marks.
func unmarked(text, open, end string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, open)
		b.WriteString(before)
		if !ok {
			return strings.Join(strings.Fields(b.String()), " ")
		}
		_, text, _ = strings.Cut(rest, end)
	}
}

func TestReplayPrints(t *testing.T) {
	t.Parallel()
	p := replay.NewReplayed(3)
	said := func(text string) []rulereplay.Said { return []rulereplay.Said{{Verb: event.VerbMessage, Text: text}} }
	p.Changes[rulereplay.New] = []replay.ReplayedExchange{{Exchange: &rulereplay.Exchange{
		Change: rulereplay.New, Peer: 7, Name: "Ana", At: tuesdayAtTen, ReasonThen: "no rule matched", RuleNow: "hours",
		Events: []event.Event{{ID: event.ID{Source: event.Messages, Number: 5}, Kind: event.KindMessage, Text: "営業時間は何時から何時までですか教えてください"}},
		Now:    said("月曜日から金曜日まで九時から十八時半まで開いています。土曜日は十時からです。"),
	}, Account: "shop"}}
	p.Changes[rulereplay.Gone] = []replay.ReplayedExchange{{Exchange: &rulereplay.Exchange{
		Change: rulereplay.Gone, Peer: 8, User: "leo", At: tuesdayAtTen, RuleThen: "lead", RuleNow: "",
		Then: append(said("Still there?"), rulereplay.Said{Verb: event.VerbMessage, Text: "secret", Private: true, Watch: true}),
	}, Account: "shop"}}
	p.Changes[rulereplay.Changed] = []replay.ReplayedExchange{{Exchange: &rulereplay.Exchange{
		Change: rulereplay.Changed, Peer: 9, User: "mia", At: tuesdayAtTen, RuleThen: "price", RuleNow: "price",
		Events: []event.Event{{ID: event.ID{Source: event.Mentions, Number: 6}, Kind: event.KindMention, Text: "price\x1b[31m?"}},
		Then:   []rulereplay.Said{{Verb: event.VerbPost, Post: 4, Text: "It is 12."}},
		Now:    []rulereplay.Said{{Verb: event.VerbPost, Post: 4, Text: "It is 14, and 12 for friends."}, {Verb: event.VerbLike, Post: 4}},
	}, Account: "shop"}}
	p.Count = rulereplay.ReplayCount{
		Events: 1, People: 1, Same: 5, Silent: 2, Changed: 1, New: 1, Gone: 1, Private: 1, Awake: 2, Asleep: 3, Owned: 4, Others: 5, Begun: 6,
		Unread: 7, Failed: 8,
	}
	var b strings.Builder
	if err := p.ForPeople(&b, true); err != nil {
		t.Fatal(err)
	}
	golden(t, "replay_prints.txt", b.String())
	if strings.Contains(b.String(), "secret") || strings.Contains(b.String(), "\x1b") {
		t.Errorf("it shows what it must not:\n%s", b.String())
	}
	if diff := cmp.Diff([]rulereplay.Change{rulereplay.Gone, rulereplay.Changed, rulereplay.New}, kinds(p)); diff != "" {
		t.Errorf("the worst first (-want +got)\n%s", diff)
	}
}

func kinds(p *replay.Replayed) []rulereplay.Change {
	var all []rulereplay.Change
	for _, x := range p.ShownChanges() {
		all = append(all, x.Change)
	}
	return all
}
