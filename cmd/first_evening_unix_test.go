//go:build unix

package cmd

import (
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/child"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// TestFirstEvening does what docs/first-evening.md says, and compares what it shows with what happens.
func TestFirstEvening(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	e := newEvening(t)
	e.follow("../docs/first-evening.md")
	if e.ran < 15 {
		t.Errorf("the page has only %d commands", e.ran)
	}
}

// follow does a page from its beginning to its end.
func (e *evening) follow(file string) {
	e.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		e.Fatal(err)
	}
	fenced := regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$")
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		e.do(block[1], block[2])
	}
	for _, tm := range []*terminal{e.bot, e.platform} { // Ctrl-C, and good night
		_ = tm.in.Close() // the process ends, whatever it reads
		tm.Stop()
	}
}

// evening is somebody who follows the page.
type evening struct {
	*testing.T
	dir  string
	addr string                // of the platform, in place of the page's
	ids  map[string]string     // what stands for the ids of the page
	real func(s string) string // puts in what stands for the addresses and times of the page
	ran  int

	phone *phone // which rings at ring

	platform, bot *terminal
}

// terminal is a command that goes on, and how far its output was read.
type terminal struct {
	*child.Process
	in   *os.File
	read int
}

// What stands in the page for the platform and for the service that rings.
const (
	pageAddr = "127.0.0.1:8080"
	pageRing = "ntfy.sh"
)

func newEvening(t *testing.T) *evening {
	t.Helper()
	var listening net.ListenConfig
	l, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // the platform takes its address
	rings := &phone{}
	receiver := httptest.NewServer(rings)
	t.Cleanup(receiver.Close)
	stands := strings.NewReplacer(pageAddr, l.Addr().String(), pageRing, strings.TrimPrefix(receiver.URL, "http://"))
	return &evening{T: t, dir: t.TempDir(), addr: l.Addr().String(), ids: map[string]string{}, real: stands.Replace, phone: rings}
}

// do does one block of the page.
func (e *evening) do(info, body string) {
	e.Helper()
	kind, file, _ := strings.Cut(info, " ")
	switch info {
	case "console emulate":
		e.platform = e.open(body, "--addr", e.addr)
	case "console run":
		e.bot = e.open(body)
	case "type":
		if _, err := io.WriteString(e.platform.in, body); err != nil {
			e.Fatal(err)
		}
	case "emulate":
		e.sees(e.platform, body)
	case "run":
		e.sees(e.bot, body)
	case "kill":
		e.mustHit(body)
		e.bot.Kill()
	case "phone":
		if n, told := e.phone.rang(strings.TrimSpace(body)); n == 0 || !told {
			e.Errorf("the phone rang %d times, and not with %q", n, body)
		}
	case "console", "console fails":
		e.console(body, info == "console fails")
	default:
		switch kind {
		case "edit":
			e.edit(file, body)
		case "file":
			e.write(file, e.real(body))
		default:
			e.Fatalf("the page has a block %q", info)
		}
	}
}

// mustHit checks that what the page kills is the bot alone: not the platform to practise on, in another terminal.
func (e *evening) mustHit(body string) {
	e.Helper()
	what, ok := strings.CutPrefix(strings.TrimSpace(body), "$ pkill -9 -f ")
	what = strings.Trim(what, `"`)
	for line, hit := range map[string]bool{"nectar run": true, "nectar emulate --people 0 --transcript --type": false} {
		if !ok || strings.Contains(line, what) != hit {
			e.Errorf("%q: does it end %q? It should: %v", body, line, hit)
		}
	}
}

// start starts a line of the page.
func (e *evening) start(line string, stdin io.Reader, also ...string) *child.Process {
	e.Helper()
	for from, to := range e.ids {
		line = strings.ReplaceAll(line, from, to)
	}
	line = e.real(line)
	var args []string
	for _, word := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		args = append(args, strings.Trim(word, `"`))
	}
	if len(args) == 0 || args[0] != "nectar" && args[0] != "cp" {
		e.Fatalf("the page has the command %q", line)
	}
	c := child.Command{Program: args[0], Args: append(args[1:], also...), Dir: e.dir, Env: []string{"NECTAR_POLL_INTERVAL=100ms"}, Stdin: stdin}
	if args[0] == "nectar" {
		c.Program, c.As = "", "nectar"
		e.ran++
	}
	return child.Start(e.T, c)
}

// open starts a command that goes on, and waits for what the page shows of it.
func (e *evening) open(body string, also ...string) *terminal {
	e.Helper()
	line, shown, _ := strings.Cut(strings.TrimPrefix(body, "$ "), "\n")
	stdin, in, err := os.Pipe()
	if err != nil {
		e.Fatal(err)
	}
	defer func() { _ = stdin.Close() }() // the process has its own
	e.Cleanup(func() { _ = in.Close() })
	tm := &terminal{Process: e.start(line, stdin, also...), in: in}
	e.sees(tm, shown)
	return tm
}

// sees waits until a terminal shows what the page shows, perhaps with other lines between.
func (e *evening) sees(tm *terminal, shown string) {
	e.Helper()
	want := e.pattern(strings.ReplaceAll(shown, "\n", "\n…\n"))
	tm.Until(e.T, shown, func(text string) bool {
		at := want.FindStringIndex(text[tm.read:])
		if at != nil {
			tm.read += at[1]
		}
		return at != nil
	})
}

// console runs the commands of a block. What looks is run until it sees what the page shows: things take
// their time.
func (e *evening) console(body string, fails bool) {
	e.Helper()
	for _, one := range strings.Split(body, "$ ")[1:] {
		line, shown, _ := strings.Cut(one, "\n")
		want, begun := e.pattern(shown), time.Now()
		for {
			ran := e.start(line, nil)
			status := ran.End()
			seen := strings.TrimPrefix(ran.String(), print.ByteOrderMark) // which no terminal shows
			if found := want.FindStringSubmatch(seen); found != nil && (status != 0) == fails {
				e.learn(want, found)
				break
			}
			if changes := regexp.MustCompile(`approve|apply|give-back|init`); changes.MatchString(line) || time.Since(begun) > time.Minute {
				e.Fatalf("$ %s\nthe page shows\n%s\nand it prints (status %d)\n%s", line, shown, status, ran)
			}
		}
		if strings.HasPrefix(line, "nectar init") {
			e.hasten()
		}
	}
}

// calendar are the names of days and months in tables, which differ from page to page.
const calendar = `\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b`

// learn notes which ids stand for those of the page.
func (e *evening) learn(want *regexp.Regexp, found []string) {
	for i, name := range want.SubexpNames() {
		if id, ok := strings.CutPrefix(name, "message"); ok {
			e.ids["message:"+id] = "message:" + found[i]
		}
	}
}

// hasten makes the rule files answer sooner than people like it.
func (e *evening) hasten() {
	e.Helper()
	files, err := filepath.Glob(filepath.Join(e.dir, "rules", "*.yaml"))
	if err != nil {
		e.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			e.Fatal(err)
		}
		sooner := regexp.MustCompile(`merge_messages: \ds`).ReplaceAllString(string(content), "merge_messages: 1s")
		sooner = strings.ReplaceAll(sooner, "reply_after: 4s..15s", "reply_after: 0s..1s")
		if err := os.WriteFile(file, []byte(sooner), 0o600); err != nil {
			e.Fatal(err)
		}
	}
}

// rewrite changes a file as the page says: the lines with "-" become those with "+".
func (e *evening) edit(file, body string) {
	e.Helper()
	body = e.real(body)
	before, after, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(body, "-"), "\n"), "\n+")
	before, after = strings.ReplaceAll(before, "\n-", "\n"), strings.ReplaceAll(after, "\n+", "\n")
	path := filepath.Join(e.dir, file)
	content, err := os.ReadFile(path)
	if err != nil {
		e.Fatal(err)
	}
	if !ok || strings.Count(string(content), before) != 1 {
		e.Fatalf("%s does not have %q once:\n%s", file, before, content)
	}
	e.write(file, strings.Replace(string(content), before, after, 1))
}

func (e *evening) write(file, content string) {
	e.Helper()
	if err := os.WriteFile(filepath.Join(e.dir, file), []byte(content), 0o600); err != nil {
		e.Fatal(err)
	}
}

// pattern makes of what the page shows what has to be there: numbers, days and spaces may differ, "…" is
// anything, a line of its own of it any number of lines.
func (e *evening) pattern(shown string) *regexp.Regexp {
	e.Helper()
	shown = e.real(shown)
	var b strings.Builder
	b.WriteString("(?m)")
	named := map[string]bool{}
	parts := regexp.MustCompile(`message:\d+|tomorrow at \d+:\d+|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|` + calendar + `|\d[\d.]*|…|\s+|.`)
	for line := range strings.Lines(shown) {
		line = strings.TrimRight(line, "\n")
		if line == "…" {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		for _, part := range parts.FindAllString(line, -1) {
			switch {
			case strings.HasPrefix(part, "message:") && !named[part]:
				named[part] = true
				b.WriteString("message:(?P<message" + strings.TrimPrefix(part, "message:") + `>\d+)`)
			case strings.HasPrefix(part, "message:"):
				b.WriteString(`message:\d+`)
			case strings.HasPrefix(part, "tomorrow at"), part == "…":
				b.WriteString(`.*`)
			case strings.HasSuffix(part, "day"):
				b.WriteString(`\w+day`)
			case regexp.MustCompile(`^` + calendar + `$`).MatchString(part):
				b.WriteString(`[A-Z][a-z]+(?: \d{4})?`) // with the year, where what is shown ends in another one
			case part[0] >= '0' && part[0] <= '9':
				b.WriteString(`[0-9][0-9.]*`)
			case strings.TrimSpace(part) == "":
				b.WriteString(`\s+`)
			default:
				b.WriteString(regexp.QuoteMeta(part))
			}
		}
		b.WriteString(`.*\n`)
	}
	return regexp.MustCompile(b.String())
}
