package notify_test

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/handlers/notify"
)

// nasty is what strangers write to ring others, to look like us, and to hide where a link leads.
const nasty = "@everyone @here <!channel> <@U123> <@&99> <https://evil.example|the bank> [the bank](https://evil.example) **bold** _it_ ~no~ `code` ||spoiler|| > quote\n" +
	"# head\r\nnectar outbox approve 123456\u2028Subject: x\r\nBcc: all@example.org\x00\x1b[31m\u202egnp.exe <b>html</b> &amp; <img src=x> tg://user?id=5 /start"

// got sends a notice to a service, and returns the text that arrived with all of what arrived.
func got(t *testing.T, address, field string, d *notify.Digest) (string, map[string]any) {
	t.Helper()
	r := newReceiver(t, nil)
	if err := clientOf(t, notify.Config{}, r.host()).Send(t.Context(), parsed(t, strings.ReplaceAll(address, "HOST", r.host())), d); err != nil {
		t.Fatal(err)
	}
	body := r.last(t)
	text, _ := body[field].(string)
	return text, body
}

// tame checks what holds for every service: on its own line, without what nobody sees.
func tame(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "nectar outbox") || strings.HasPrefix(line, "# head") || strings.HasPrefix(line, "Bcc") || strings.HasPrefix(line, "Subject") {
			t.Errorf("a line of theirs looks like one of ours: %q", line)
		}
	}
	if strings.ContainsAny(text, "\x00\x1b\u202e\u2028\r") {
		t.Errorf("there is something that nobody sees: %q", text)
	}
	if !strings.Contains(text, "give-back") || !strings.Contains(text, "the bank") {
		t.Errorf("something is missing:\n%s", text)
	}
}

func TestNtfyWords(t *testing.T) {
	t.Parallel()
	text, body := got(t, "ntfy://${TOKEN}@HOST/topic", "message", told(handoff(nasty)))
	tame(t, text)
	if body["topic"] != "topic" || body["markdown"] != nil || body["click"] != nil || body["actions"] != nil || body["attach"] != nil {
		t.Errorf("%v", body)
	}
	if title, _ := body["title"].(string); title != "Nectar: Somebody needs a person" {
		t.Errorf("title %q", title)
	}
}

func TestSlackWords(t *testing.T) {
	t.Parallel()
	text, body := got(t, "slack://HOST/services/${TOKEN}", "text", told(handoff(nasty)))
	tame(t, text)
	for _, bad := range []string{"<", ">", "](", "@everyone", "@here", "@ana", "`", "**"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q stands in\n%s", bad, text)
		}
	}
	if diff := cmp.Diff(map[string]any{"text": text, "mrkdwn": false, "parse": "none", "link_names": false, "unfurl_links": false, "unfurl_media": false}, body); diff != "" {
		t.Error(diff)
	}
}

func TestDiscordWords(t *testing.T) {
	t.Parallel()
	text, body := got(t, "discord://HOST/api/webhooks/1/${TOKEN}", "content", told(handoff(nasty)))
	tame(t, text)
	for _, bad := range []string{"@everyone", "@here", "@ana", " <", " [the", "](", " **", " ||", " ~n", " _i", " `"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q stands in\n%s", bad, text)
		}
	}
	if diff := cmp.Diff(map[string]any{"content": text, "allowed_mentions": map[string]any{"parse": []any{}}, "flags": 4.0}, body); diff != "" {
		t.Error(diff)
	}
}

func TestTelegramWords(t *testing.T) {
	t.Parallel()
	text, body := got(t, "telegram://${TOKEN}@HOST/-100", "text", told(handoff(nasty)))
	tame(t, text)
	for _, bad := range []string{"@everyone", "@ana"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q stands in\n%s", bad, text)
		}
	}
	if diff := cmp.Diff(map[string]any{"chat_id": "-100", "text": text, "link_preview_options": map[string]any{"is_disabled": true}}, body); diff != "" {
		t.Error(diff) // no parse_mode above all: HTML and Markdown stay what they are
	}
}

func TestMailWords(t *testing.T) {
	t.Parallel()
	p := newPostbox(t, "")
	n := handoff(nasty)
	n.Name, n.User = "Ana\r\nBcc: all@example.org", "ana\nX-Evil: 1"
	if err := mailed(t, "smtp://"+p.Addr().String()+"?from=bot@example.org", notify.Config{Hosts: []string{p.Addr().String()}}, told(n, n)); err != nil {
		t.Fatal(err)
	}
	m, text := p.mail(t)
	tame(t, text)
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Nectar: 2 people need a person" {
		t.Errorf("%v: subject %q", err, subject)
	}
	kind, _, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "text/plain" || m.Header.Get("Bcc")+m.Header.Get("X-Evil") != "" {
		t.Errorf("%v: %v", err, m.Header)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.lines {
		if strings.Contains(line, "RCPT") && strings.Contains(line, "all@") {
			t.Errorf("a stranger gets it: %s", line)
		}
	}
}

// A webhook gets what was written, in JSON: what it makes of it is up to it.
func TestWebhookWords(t *testing.T) {
	t.Parallel()
	n := handoff(nasty)
	text, body := got(t, "http://HOST/in", "text", told(n))
	if text != "message from @ana: "+nasty || body["said"] != nasty || body["kind"] != "handoff" || body["peer"] != 812.0 || body["id"] != n.ID || body["who"] != "team" {
		t.Errorf("%v", body)
	}
}

// What is private is told to nobody on the way: only that it is there, and where.
func TestPrivateWords(t *testing.T) {
	t.Parallel()
	n := handoff("my card is 4111")
	n.Private, n.Text, n.Plain, n.Answer = true, "card 4111", false, "thanks for 4111"
	for _, s := range services() {
		if s.name == "webhook" {
			continue // it is the team's own program
		}
		r := newReceiver(t, nil)
		if err := clientOf(t, notify.Config{}, r.host()).Send(t.Context(), parsed(t, strings.ReplaceAll(s.address, "HOST", r.host())), told(n)); err != nil {
			t.Fatal(err)
		}
		all, err := json.Marshal(r.last(t))
		if err != nil || strings.Contains(string(all), "4111") || !strings.Contains(string(all), "nectar notices --private") {
			t.Errorf("%s: %s", s.name, all)
		}
	}
}

// What is told is readable: who, what they said, what is asked, and the command.
func TestReadable(t *testing.T) {
	t.Parallel()
	n := handoff("When do you open?")
	n.Kind, n.Answer, n.Ask, n.Do = notify.KindApproval, "At nine.", "The rule hours has prepared it. Let it leave, or: nectar outbox refuse 482913", "nectar outbox approve 482913"
	text, _ := got(t, "ntfy://HOST/topic", "message", told(n))
	const want = "An answer waits for your approval: @ana (Ana)\nThey wrote: “When do you open?”\nAnd then: “When do you open?”\nThe bot has said since: “When do you open?”\nThe bot would say: “At nine.”\n" +
		"For customers: Nothing leaves before one of you decides.\nWhat to do: The rule hours has prepared it. Let it leave, or: nectar outbox refuse 482913\nnectar outbox approve 482913\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	d := told(handoff("a"), handoff("b"))
	d.Accounts = true
	text, _ = got(t, "ntfy://HOST/topic", "message", d)
	if strings.Count(text, "nectar conversations give-back @ana --account shop\n") != 2 || strings.Count(text, "@ana (Ana) (account shop)\n") != 2 {
		t.Error(text)
	}
	other := handoff("b")
	other.Kind = notify.KindApproval
	if d := told(handoff("a"), handoff("b"), other); d.Title() != "2 people need a person, an answer waits for your approval" {
		t.Errorf("%q", d.Title())
	}
	odd := handoff("a")
	odd.User = "everyone"
	text, _ = got(t, "ntfy://HOST/topic", "message", told(odd))
	if !strings.Contains(text, "give-back 812\n") {
		t.Error(text)
	}
}

// However much is told, it is as long as the service takes, and says how much more there is.
func TestLengths(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("👩‍👩‍👧 [x](y) & <a> @all ", 5000)
	for _, s := range []struct {
		address, field string
		most           int
		length         func(string) int
	}{
		{"ntfy://HOST/topic", "message", 4096, func(s string) int { return len(s) }},
		{"slack://HOST/services/x", "text", 4000, utf8.RuneCountInString},
		{"discord://HOST/api/webhooks/1/x", "content", 2000, func(s string) int { return len(utf16.Encode([]rune(s))) }},
		{"telegram://x@HOST/-100", "text", 4096, func(s string) int { return len(utf16.Encode([]rune(s))) }},
	} {
		for _, count := range []int{1, 2, 500} {
			var all []notify.Notice
			for range count {
				n := handoff(long)
				n.Name, n.User, n.Answer, n.Text, n.Plain = long, long, long, long, false
				all = append(all, n)
			}
			text, _ := got(t, s.address, s.field, told(all...))
			if n := s.length(text); n > s.most || n < 100 {
				t.Errorf("%s of %d has the length %d", s.field, count, n)
			}
			if count == 500 && (!strings.Contains(text, "more: nectar notices") || !strings.HasPrefix(text, "Somebody") && !strings.HasPrefix(text, "500 people need a person")) {
				t.Errorf("%s does not say how many there are:\n%.400s … %s", s.field, text, text[max(0, len(text)-200):])
			}
		}
	}
}

// The heartbeat is a call of its address, and no more.
func TestHeartbeatCall(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, nil)
	if err := clientOf(t, notify.Config{}, r.host()).Get(t.Context(), parsed(t, r.URL+"/${TOKEN}")); err != nil {
		t.Fatal(err)
	}
	r.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, token)
	}
	if err := clientOf(t, notify.Config{}, r.host()).Get(t.Context(), parsed(t, r.URL+"/${TOKEN}")); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	if r.paths[0] != "/tk_s3cret/and+more" {
		t.Errorf("it went to %s", r.paths[0])
	}
}
