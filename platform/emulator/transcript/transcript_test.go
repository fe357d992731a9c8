package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/honest"
	"github.com/nectar-bot/nectar/platform/emulator/transcript"
)

const plainTranscript = `bot  →   ✎ posts "spring menu"
ana      hello there
bot  →   ana: echo: hello there
christabel a⏎b <b>  c
bot  →   christabel: echo: a⏎b <b>  c
leo      ✎ posts "@bot best place in town"
bot  →   ♥ likes "@bot best place in town"
ana      ♥ likes "spring menu"
ana      ♡ takes back the like of "spring menu"
leo      ↻ reposts "spring menu"
bot  →   leo: thank you
leo      ↺ takes back the repost of "spring menu"
ana      ✎ replies "tasty"
bot  →   ♥ likes "tasty"
bot  →   ✎ replies "glad to hear it"
leo      + follows bot
bot  →   + follows leo
bot  →   leo: welcome
leo      - unfollows bot
ana      · visits bot
bot  →   ana (by phone): it is me
bot  →   ✗ deletes the message to ana: it is me
ana      ⊘ blocks bot
ana      ⊙ unblocks bot
`

// happenings is a bit of everything.
func happenings(t *testing.T, b *honest.Bot) {
	t.Helper()
	p, bot := b.Platform, b.Account
	ana, leo := p.AddPerson(Person{Username: "ana"}), p.AddPerson(Person{Username: "leo"})
	christabel := p.AddPerson(Person{Username: "christabel"})
	menu := p.Post(bot, "spring menu")
	b.Alongside(t, func(ctx context.Context) {
		for _, act := range []func(){
			func() { p.Say(ana, bot, "hello there") },
			func() { p.Say(ana, leo, "nobody else's business") },
			func() { p.Say(christabel, bot, "a\nb <b>\x1b\tc") },
			func() { p.Mention(leo, bot, "best place in town") },
			func() { p.Like(ana, menu) },
			func() { p.Unlike(ana, menu) },
			func() { p.Repost(leo, menu) },
			func() { p.Unrepost(leo, menu) },
			func() { p.Reply(ana, menu, "tasty") },
			func() {
				form := url.Values{"thread_id": {fmt.Sprint(menu)}, "post_text": {"glad to hear it"}}
				if _, err := b.Call(ctx, "publish_post", form); err != nil {
					t.Error(err)
				}
			},
			func() { p.Follow(leo, bot) },
			func() { p.Unfollow(leo, bot) },
			func() { p.Visit(ana, bot) },
			func() { p.SayAs(bot, ana, "it is me") },
			func() {
				said := p.Messages(bot, ana)
				if _, err := b.Call(ctx, "delete_message", url.Values{"message_id": {fmt.Sprint(said[len(said)-1].ID)}}); err != nil {
					t.Error(err)
				}
			},
			func() { p.Block(ana, bot) },
			func() { p.Unblock(ana, bot) },
		} {
			act()
			synctest.Wait()
		}
	})
}

func TestTranscript(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := honest.New(t, New(Config{}))
		ctx, cancel := context.WithCancel(t.Context())
		var live, plain, late strings.Builder
		ended := make(chan error)
		go func() { ended <- transcript.Follow(ctx, b.Platform, &live, transcript.Config{Account: b.Account}) }()
		go func() {
			ended <- transcript.Follow(ctx, b.Platform, &plain, transcript.Config{Account: b.Account, Plain: true})
		}()
		happenings(t, b)
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff(plainTranscript, plain.String()); diff != "" {
			t.Errorf("plain (-want +got):\n%s", diff)
		}
		times := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d `)
		if diff := cmp.Diff(plainTranscript, times.ReplaceAllString(live.String(), "")); diff != "" {
			t.Errorf("with times (-want +got):\n%s", diff)
		}
		if n := len(times.FindAllString(live.String(), -1)); n != strings.Count(plainTranscript, "\n") {
			t.Errorf("%d lines have a time", n)
		}

		last := b.Platform.Ledger().Len() - 2
		if err := transcript.Write(b.Platform, &late, transcript.Config{Account: b.Account, Since: last, Plain: true}); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff("ana      ⊘ blocks bot\nana      ⊙ unblocks bot\n", late.String()); diff != "" {
			t.Errorf("the end (-want +got):\n%s", diff)
		}
	})
}

func TestTranscriptCutsLongTexts(t *testing.T) {
	t.Parallel()
	p := New(Config{})
	bot, ana := p.AddPerson(Person{Username: "bot"}), p.AddPerson(Person{Username: "ana"})
	p.Say(ana, bot, strings.Repeat("ж", 2000))
	var got strings.Builder
	if err := transcript.Write(p, &got, transcript.Config{Account: bot, Plain: true}); err != nil {
		t.Fatal(err)
	}
	want := "ana      " + strings.Repeat("ж", 100) + "… (2000 characters)\n"
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTranscriptTellsThatItCannotWrite(t *testing.T) {
	t.Parallel()
	p := New(Config{})
	bot, ana := p.AddPerson(Person{Username: "bot"}), p.AddPerson(Person{Username: "ana"})
	p.Say(ana, bot, "hi")
	r, w := io.Pipe()
	broken := errors.New("no paper")
	if err := r.CloseWithError(broken); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := transcript.Follow(ctx, p, w, transcript.Config{Account: bot}); !errors.Is(err, broken) {
		t.Errorf("Transcript returned %v", err)
	}
}
