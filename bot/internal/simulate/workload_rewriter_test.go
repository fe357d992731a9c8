package simulate_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// rewriter is somebody who gets answers that the platform does not take as they are: it trims them,
// escapes them, and turns smileys into pictures. Answers may be twins before or after that. Each comes
// once and in its place. Only one that was turned into another text and of which nobody knows whether it
// arrived may be left to a person.
type rewriter struct {
	s    *simulation
	who  platform.UserID
	said int
	held []event.Action // in the end
}

// smiley is what the platform turns into a picture, unless somebody else writes for the account, too: once
// the platform was seen to do that, any text of the account's own may be anything.
const smiley, picture = ":-)", "🙂"

// oddAnswers are the texts that the platform changes; some are twins of others. The number of what was said
// stands for %d, in some.
var oddAnswers = []string{
	"  spaced out \t", "spaced out", "\n\nspaced\u00a0out", "<b>bold</b> & \"quoted\"", "&lt;b&gt;bold&lt;/b&gt;", "a &amp; b %d", "a & b",
	"مرحبا بك", "\u202eright to left %d\u202c", "zero\u200bwidth", "\u200b", "zerowidth %d", "🦤🦤🦤", "ñandú", "n\u0303andu\u0301",
	"broken \xff\xfe bytes", "line\r\nline", "line\nline", "1", " 1", "it's %d", "\x0bvertical %d\x0b",
	"see you %d " + smiley, "see you " + smiley, "well, then " + smiley + " until %d",
}

// tooLong is an answer that becomes three messages.
var tooLong = strings.Repeat("🦤", bot.MaxMessage) + strings.Repeat("x", bot.MaxMessage) + " the end of it"

func drawRewriter(dice *rand.Rand) []string {
	steps := make([]string, 8+dice.IntN(20))
	for i := range steps {
		steps[i] = strconv.Itoa(dice.IntN(len(oddAnswers) + 2))
		switch dice.IntN(5) {
		case 0:
			steps[i] = steps[max(i-1, 0)]
		case 1, 2:
			steps[i] = strconv.Itoa(len(oddAnswers) - 1 - dice.IntN(3)) // with a smiley
		default:
		}
	}
	return steps
}

func newRewriter(s *simulation) workload { return &rewriter{s: s} }

func (g *rewriter) begin() {
	g.who = g.s.platform.AddPerson(emulator.Person{Username: "guest-rewriter"})
}

func (g *rewriter) configure(cfg *bot.Config) {
	if !slices.ContainsFunc(g.s.plan.workloads, func(name string) bool { return name != "rewriter" && name != "deleter" && name != "quitter" }) {
		cfg.Transport = pictures{cfg.Transport, g.who}
	}
}

// pictures turns smileys to somebody into pictures, before the platform sees them.
type pictures struct {
	next http.RoundTripper
	to   platform.UserID
}

// RoundTrip carries a request, with another text.
func (p pictures) RoundTrip(r *http.Request) (*http.Response, error) {
	if path.Base(r.URL.Path) != "send_message" {
		return p.next.RoundTrip(r)
	}
	_, body, err := identify(r)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(body)
	if err != nil || form.Get("user_id") != strconv.FormatInt(int64(p.to), 10) {
		return p.next.RoundTrip(r)
	}
	form.Set("message", strings.ReplaceAll(form.Get("message"), smiley, picture))
	changed := r.Clone(r.Context())
	body = form.Encode()
	changed.Body, changed.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return p.next.RoundTrip(changed)
}

// oddAnswer returns the messages that answer a text: its number, and which answer it is to get.
func oddAnswer(text string) []string {
	var n, which int
	if _, err := fmt.Sscan(text, &n, &which); err != nil {
		return []string{"what?"}
	}
	switch {
	case which == len(oddAnswers):
		return []string{tooLong}
	case which > len(oddAnswers): // more than one, of which the platform refuses the first
		return []string{"\x00", " twin", "twin "}
	}
	return []string{strings.ReplaceAll(oddAnswers[which], "%d", strconv.Itoa(n))}
}

func (g *rewriter) routes() []bot.Route {
	return []bot.Route{bot.On("rewriter", bot.AnyMessage().If(isFrom(g.who)), func(_ context.Context, t *bot.Turn, m event.Message) error {
		for _, text := range oddAnswer(m.Text) {
			if err := t.Reply(text); err != nil {
				return err
			}
		}
		return nil
	})}
}

func (g *rewriter) do(_ context.Context, what string) error {
	g.said++
	g.s.platform.Say(g.who, g.s.account, fmt.Sprint(g.said, " ", what))
	return nil
}

func (g *rewriter) knows(e emulator.Entry) bool { return e.From == g.who || e.To == g.who }

// shown returns a text as it can be compared, whatever the platform made of it.
func shown(text string) string {
	return strings.Trim(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), smiley, picture), " \t\n\r\x00\x0b")
}

// judge compares the answers one by one. One of those that are held may have arrived, or not.
func (g *rewriter) judge(mine []emulator.Entry) (wrong []string) {
	var want []string
	for _, e := range ofKind(mine, emulator.Said) {
		for _, text := range oddAnswer(e.Text) {
			if text = shown(text); text != "" || g.s.plan.dialect.Dialect.KeepsSpaces {
				want = append(want, text)
			}
		}
	}
	open := map[string]int{}
	for i := range g.held {
		a := &g.held[i]
		if open[shown(a.Text)]++; !strings.Contains(a.Text, smiley) || !strings.HasPrefix(a.Reason, "nobody knows whether it happened") {
			wrong = append(wrong, fmt.Sprintf("held, although %q can be known: %s", a.Text, a.Reason))
		}
	}
	for _, e := range ofKind(mine, emulator.Arrived) {
		got := shown(e.Text)
		for len(want) > 0 && want[0] != got && open[want[0]] > 0 {
			open[want[0]]--
			want = want[1:]
		}
		switch {
		case len(want) > 0 && want[0] == got:
			want = want[1:]
		case len(want) > 0 && len(got) > bot.MaxMessage/2 && strings.HasPrefix(want[0], got): // a part
			want[0] = shown(want[0][len(got):])
		default:
			return append(wrong, fmt.Sprintf("doubled, lost or out of order at %.60q; %.60q", got, want))
		}
	}
	for _, text := range want {
		if open[text]--; open[text] < 0 {
			wrong = append(wrong, fmt.Sprintf("lost: %.60q", text))
		}
	}
	return wrong
}

// after looks for what is held. What is held must be known to the judge before anything is missing.
func (g *rewriter) after(ctx context.Context) error {
	return g.s.inspect(ctx, func(d inspect.Inspector) (err error) {
		g.held, err = d.Actions(ctx, record.ActionQuery{Account: accountName, Peer: g.who, State: event.StateHeld, Limit: 100})
		return err
	})
}
