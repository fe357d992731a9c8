package crowd_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/crowd"
	"github.com/nectar-bot/nectar/platform/emulator/internal/honest"
	"github.com/nectar-bot/nectar/platform/emulator/judge"
)

// gather lets a crowd loose on an account that never answers and returns what each person did, in
// order, by position in the crowd.
func gather(t *testing.T, cfg crowd.Config) [][]string {
	t.Helper()
	p := New(Config{})
	cfg.Account = p.AddAccount(Person{Username: "bot"}, "bot@example.org", "secret")
	c := crowd.New(p, cfg)
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	place := map[platform.UserID]int{}
	for i, id := range c.People() {
		place[id] = i
	}
	out := make([][]string, len(place))
	for _, e := range p.Ledger().Since(0) {
		if i, member := place[e.From]; member {
			out[i] = append(out[i], e.Kind.String()+": "+e.Text)
		}
	}
	return out
}

func TestCrowdDoesTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	cfg := crowd.Config{Seed: 1, People: 20, Messages: 1010, Reactions: true}
	first := gather(t, cfg)
	if diff := cmp.Diff(first, gather(t, cfg)); diff != "" {
		t.Errorf("once more:\n%s", diff)
	}
	synctest.Test(t, func(t *testing.T) {
		slow := cfg
		slow.Pauses, slow.Wait, slow.Patience = time.Second, true, time.Second
		if diff := cmp.Diff(first, gather(t, slow)); diff != "" {
			t.Errorf("slowly:\n%s", diff)
		}
	})
	other := cfg
	other.Seed = 2
	if cmp.Equal(first, gather(t, other)) {
		t.Error("another seed changes nothing")
	}
}

func TestCrowdWritesWhatPeopleWrite(t *testing.T) {
	t.Parallel()
	all := gather(t, crowd.Config{Seed: 1, People: 41, Messages: 8203, Reactions: true})
	seen := map[string]int{}
	messages := 0
	for _, deeds := range all {
		said, before := 0, ""
		for _, deed := range deeds {
			kind, text, _ := strings.Cut(deed, ": ")
			seen[kind]++
			if kind != "said" {
				continue
			}
			said++
			if text == before {
				seen["twin"]++
			}
			before = text
			features(seen, text)
		}
		if said != 8203/41 && said != 8203/41+1 {
			t.Errorf("somebody wrote %d messages", said)
		}
		messages += said
	}
	if messages != 8203 {
		t.Errorf("%d messages, want 8203", messages)
	}
	for _, want := range []string{
		"mentioned", "replied", "liked", "unliked", "reposted", "unreposted", "followed", "unfollowed", "visited",
		"twin", "long", "emoji", "markup", "entity", "question", "cyrillic", "arabic", "hindi", "chinese", "japanese",
	} {
		if seen[want] < 5 {
			t.Errorf("%s: %d times", want, seen[want])
		}
	}
	if seen["too long"] > 0 {
		t.Errorf("%d texts have more than 2900 runes", seen["too long"])
	}
}

func features(seen map[string]int, text string) {
	for feature, sign := range map[string]string{
		"emoji": "🙏", "markup": "<b>", "entity": "&amp;", "question": "?",
		"cyrillic": "сколько", "arabic": "كم", "hindi": "क्या", "chinese": "多少", "japanese": "ですか",
	} {
		if strings.Contains(text, sign) {
			seen[feature]++
		}
	}
	switch n := utf8.RuneCountInString(text); {
	case n > 2900:
		seen["too long"]++
	case n > 1000:
		seen["long"]++
	}
}

func TestCrowdIsAnswered(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]crowd.Config{
		"rush":             {People: 200, Messages: 4000},
		"wait":             {People: 30, Messages: 200, Wait: true},
		"wait for any":     {People: 10, Messages: 100, Wait: true},
		"wait with pauses": {People: 10, Messages: 100, Wait: true, Pauses: time.Second},
		"pauses":           {People: 30, Messages: 600, Pauses: 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := New(Config{})
				b := honest.New(t, p)
				b.Work = time.Millisecond
				cfg.Seed, cfg.Account, cfg.Reactions = 7, b.Account, true
				if name != "wait for any" {
					cfg.Replies = honest.Echo
				}
				c := crowd.New(p, cfg)
				b.Alongside(t, func(ctx context.Context) {
					if err := c.Run(ctx); err != nil {
						t.Errorf("Run: %v", err)
					}
					if err := judge.AwaitQuiet(ctx, p, b.Expect(), time.Minute); err != nil {
						t.Errorf("Settled: %v", err)
					}
				})
				v := judge.Platform(p, b.Expect())
				if !v.OK() || v.Messages != cfg.Messages || v.Replies != cfg.Messages || v.Logins != 1 {
					t.Errorf("%v\n%s", v, strings.Join(v.Details, "\n"))
				}
			})
		})
	}
}

func TestCrowdWaitsForItsAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(Config{})
		b := honest.New(t, p)
		b.Work = time.Second
		b.Replies = func(said Entry) []string {
			if len(said.Text)%5 == 0 {
				return nil
			}
			return []string{"one moment", "and: " + said.Text}
		}
		c := crowd.New(p, crowd.Config{People: 5, Messages: 50, Account: b.Account, Wait: true, Replies: b.Replies})
		start := time.Now()
		b.Alongside(t, func(ctx context.Context) {
			if err := c.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		if took := time.Since(start); took > time.Minute+50*time.Second {
			t.Errorf("took %v: somebody lost patience", took)
		}
		open := map[platform.UserID]int{}
		for _, e := range p.Ledger().Since(0) {
			switch e.Kind {
			case Said:
				if open[e.From] > 0 {
					t.Errorf("%q was said before the answer to the message before was complete", e.Text)
				}
				open[e.From] = len(b.Replies(e))
			case Arrived:
				open[e.To]--
			default:
			}
		}
	})
}

func TestCrowdAnswersQuestions(t *testing.T) {
	t.Parallel()
	said := func(reply string) []string {
		var out []string
		synctest.Test(t, func(t *testing.T) {
			p := New(Config{})
			b := honest.New(t, p)
			b.Replies = func(Entry) []string { return []string{reply} }
			c := crowd.New(p, crowd.Config{Messages: 20, Account: b.Account, Wait: true})
			b.Alongside(t, func(ctx context.Context) {
				if err := c.Run(ctx); err != nil {
					t.Error(err)
				}
			})
			for _, m := range p.Messages(c.People()[0], b.Account) {
				if m.Own {
					out = append(out, m.Text)
				}
			}
		})
		return out
	}
	told, asked := said("as you wish"), said("for how many people?")
	if told[0] != asked[0] {
		t.Errorf("before anything was asked: %q and %q", told[0], asked[0])
	}
	if cmp.Equal(told[1:], asked[1:]) {
		t.Error("a question is answered as if it were none")
	}
}

func TestCrowdLosesPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		gather(t, crowd.Config{People: 3, Messages: 12, Wait: true, Patience: 10 * time.Second})
		if took := time.Since(start); took != 40*time.Second {
			t.Errorf("four messages without an answer took %v", took)
		}
	})
}

func TestCrowdForgetsLateAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := New(Config{})
		b := honest.New(t, p)
		b.Work = 15 * time.Second
		b.Replies = func(said Entry) []string { return []string{fmt.Sprint("answer to ", said.Message)} }
		const patience = 10 * time.Second
		c := crowd.New(p, crowd.Config{
			Messages: 30, Account: b.Account, Wait: true, Patience: patience, Pauses: time.Minute, Replies: b.Replies,
		})
		b.Alongside(t, func(ctx context.Context) {
			if err := c.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		var before time.Time
		for _, e := range p.Ledger().Since(0) {
			if e.Kind != Said {
				continue
			}
			if gap := e.At.Sub(before); gap < patience {
				t.Errorf("%q was said after %v, as if an earlier answer were the one", e.Text, gap)
			}
			before = e.At
		}
	})
}

// People who write for a time do so at moments that the seed decides, in turn, and wait for nobody.
func TestCrowdWritesOnTime(t *testing.T) {
	t.Parallel()
	moments := func(seed uint64) (all []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			p := New(Config{})
			cfg := crowd.Config{Seed: seed, People: 7, Messages: 600, Account: p.AddPerson(Person{Username: "bot"}), Lasts: time.Minute, Reactions: true, Wait: true}
			c, began := crowd.New(p, cfg), time.Now()
			if err := c.Run(t.Context()); err != nil || time.Since(began) != time.Minute {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			planned := c.Planned()
			for _, e := range p.Ledger().Since(0) {
				if e.Kind != Said {
					continue
				}
				if !planned[e.Message].Equal(e.At) || e.From != c.People()[len(all)%7] {
					t.Errorf("%v was said at %v, planned for %v", e.Message, e.At, planned[e.Message])
				}
				all = append(all, e.At.Sub(began))
			}
			if len(planned) != len(all) {
				t.Errorf("%d messages were planned, %d said", len(planned), len(all))
			}
		})
		return all
	}
	first, near := moments(1), 0
	for i, at := range first[1:] {
		if at-first[i] < 10*time.Millisecond { // a tenth of the mean: one in ten, where people do not know of each other
			near++
		}
	}
	if len(first) != 600 || near < 30 || near > 90 {
		t.Errorf("%d messages, of which %d came right after the one before", len(first), near)
	}
	if !cmp.Equal(first, moments(1)) || cmp.Equal(first, moments(2)) {
		t.Error("the seed does not decide")
	}
}

func TestCrowdStops(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]crowd.Config{
		"rush":   {People: 10, Messages: 100},
		"pauses": {People: 10, Messages: 100, Pauses: time.Hour, Reactions: true},
		"wait":   {People: 10, Messages: 100, Wait: true, Patience: time.Hour},
		"time":   {People: 10, Messages: 100, Lasts: time.Hour},
		"over":   {People: 10, Messages: 0, Lasts: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := New(Config{})
				cfg.Account = p.AddPerson(Person{Username: "bot"})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if name == "rush" {
					cancel()
				}
				err := crowd.New(p, cfg).Run(ctx)
				if !errors.Is(err, ctx.Err()) || err == nil {
					t.Errorf("Run returned %v", err)
				}
			})
		})
	}
}

func TestCrowdWantsAnAccount(t *testing.T) {
	t.Parallel()
	if err := crowd.New(New(Config{}), crowd.Config{Messages: 1, Account: 99}).Run(t.Context()); err == nil {
		t.Error("Run without an account succeeded")
	}
}

func BenchmarkCrowdRush(b *testing.B) {
	for b.Loop() {
		p := New(Config{})
		account := p.AddPerson(Person{Username: "bot"})
		c := crowd.New(p, crowd.Config{People: 10_000, Messages: 200_000, Account: account, Reactions: true})
		if err := c.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*200_000), "ns/message")
}
