package simulate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

const (
	caretakersAbsence = time.Minute      // as long as the platform is silent in an absence, at least,
	caretakersPolls   = 6                // and so many polls
	caretakersReading = 30 * time.Second // a reading may have begun as long before the answer that ends one
	// caretakersLook is how long before a public reply of the bot's leaves hers may have come: a look at the thread, which takes a call's time,
	// holds for a minute, twice – until it is decided, and until it leaves.
	caretakersLook = 2 * (time.Minute + requestTimeout)
)

// between is the way of the account's calls: its outages, and the judge of what leaves. It judges what the bot sends, whether it arrives or not.
func (g *caretaker) between(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host != caretakersHost {
			return next.RoundTrip(r)
		}
		what, body, err := identify(r)
		if err != nil {
			return nil, err
		}
		if !g.s.power.Load().out.Load() {
			g.leaves(r, body)
		}
		if outage := g.outageNow(); outage != "" && (outage != noProfiles || path.Base(r.URL.Path) == "profile") {
			return g.fail(r, next, outage, what)
		}
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		g.arrives(r, overhear(resp))
		return resp, nil
	})
}

// outageNow returns how calls fail, "" while they do not.
func (g *caretaker) outageNow() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !time.Now().Before(g.until) {
		return ""
	}
	return g.outage
}

// fail lets a call fail in an outage.
func (g *caretaker) fail(r *http.Request, next http.RoundTripper, how, what string) (*http.Response, error) {
	who, _ := r.Context().Value(actor{}).(string)
	name := "outage " + who + " " + what
	d := g.s.dice.draw(name)
	pause := d.between(time.Millisecond, 40*time.Millisecond)
	if how == "hangs" {
		pause = 2 * requestTimeout // nobody waits for so long
	}
	if err := g.s.dice.wait(r.Context(), g.s.power.Load().dark, pause, name); err != nil {
		return nil, err
	}
	switch how {
	case "lost":
		resp, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_ = resp.Body.Close()
	case "502", noProfiles:
		return &http.Response{
			StatusCode: http.StatusBadGateway, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader("<html>Bad Gateway</html>")),
		}, nil
	}
	return nil, io.ErrUnexpectedEOF
}

// leaves forbids what leaves over her words, or her reply, once they are known or could be.
func (g *caretaker) leaves(r *http.Request, body string) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch now := time.Now(); path.Base(r.URL.Path) {
	case "send_message":
		g.judgeMessageLocked(idOf(form), form.Get("message"), now)
	case "publish_post":
		g.judgeReplyLocked(form, now)
	}
}

// judgeMessageLocked judges a message that leaves. Nothing leaves before it is known what she has written up to the beginning of this incarnation,
// or the end of the last absence; and nothing at all while one lasts.
func (g *caretaker) judgeMessageLocked(peer platform.UserID, text string, now time.Time) {
	if at, ok := g.shown[peer]; ok && now.After(at) && now.Before(at.Add(phoneSilence)) {
		g.wrong = append(g.wrong, fmt.Sprintf("%q leaves to %d %v after her words were shown", text, peer, now.Sub(at)))
	}
	heardFrom := g.heardFrom
	if g.absentLocked(now) {
		heardFrom = now
	}
	for _, at := range g.spoken[peer] {
		if at.Before(heardFrom) && now.Before(at.Add(phoneSilence)) {
			g.wrong = append(g.wrong, fmt.Sprintf("%q leaves to %d over her words of %v before, %v before all had to be read again", text, peer, now.Sub(at), heardFrom.Sub(at)))
			return
		}
	}
}

// absentLocked reports whether the platform has told nothing for so long that all conversations are quiet.
func (g *caretaker) absentLocked(now time.Time) bool {
	return !g.answered.IsZero() && now.Sub(g.answered) >= max(caretakersAbsence, caretakersPolls*g.interval)
}

// judgeReplyLocked judges a public reply that leaves.
func (g *caretaker) judgeReplyLocked(form url.Values, now time.Time) {
	post, err := strconv.ParseInt(form.Get("thread_id"), 10, 64)
	hers := g.below[platform.PostID(post)]
	switch {
	case err != nil || hers == nil:
	case !hers.shown.IsZero() && now.After(hers.shown):
		g.wrong = append(g.wrong, fmt.Sprintf("%q leaves %v after %q was shown below the post", form.Get("post_text"), now.Sub(hers.shown), hers.text))
	case now.Sub(hers.at) > caretakersLook:
		g.wrong = append(g.wrong, fmt.Sprintf("%q leaves %v after she answered %q", form.Get("post_text"), now.Sub(hers.at), hers.text))
	}
}

// arrives notes what an answer shows, and that there is one: of any kind but those that are about sessions.
func (g *caretaker) arrives(r *http.Request, body []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, endpoint := time.Now(), path.Base(r.URL.Path)
	whole := json.Valid(body) // of one that is cut off the bot reads nothing
	switch endpoint {
	case "refresh_access_token", "login", "oauth":
		return
	case "get_messages":
		if !whole {
			break
		}
		peer := idOf(r.URL.Query())
		for _, m := range byHand.FindAll(body, -1) {
			if text := string(m); !g.seen[text] {
				g.seen[text] = true
				g.shown[peer] = now
			}
		}
	case "thread_data":
		for _, hers := range g.below {
			if whole && hers.shown.IsZero() && bytes.Contains(body, []byte(hers.text)) {
				hers.shown = now
			}
		}
	}
	if g.absentLocked(now) {
		g.heardFrom = now.Add(-caretakersReading)
	}
	g.answered = now
}

// judge looks at what came of each message, mention and reply: its answer comes at most once, and it comes where she has not answered.
func (g *caretaker) judge(mine []emulator.Entry) []string {
	g.mu.Lock()
	wrong := slices.Clone(g.wrong)
	g.mu.Unlock()
	for _, who := range g.writers {
		theirs := slices.DeleteFunc(slices.Clone(mine), func(e emulator.Entry) bool { return e.From != who && e.To != who })
		wrong = append(wrong, judgeByHand(theirs)...)
	}
	published := whatIsSaid(ofKind(mine, emulator.Published))
	for _, post := range g.asked {
		text := fmt.Sprint("seen ", post)
		n := len(slices.DeleteFunc(slices.Clone(published), func(p string) bool { return p != text }))
		switch {
		case n > 1:
			wrong = append(wrong, fmt.Sprintf("doubled: %q", text))
		case n == 0 && g.below[post] == nil:
			wrong = append(wrong, fmt.Sprintf("lost: %q", text))
		}
	}
	return wrong
}
