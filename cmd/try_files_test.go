package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/cmd/internal/edit"
	"github.com/nectar-bot/nectar/cmd/internal/try"
	"github.com/nectar-bot/nectar/handlers/rules"
	rulecheck "github.com/nectar-bot/nectar/handlers/rules/check"
	"pgregory.net/rapid"
)

// tryIn begins a chat with a copy of the rules in testdata.
func tryIn(t *testing.T) (s *try.Session, dir string) {
	t.Helper()
	dir = copyOfRules(t)
	s, err := try.NewSession(try.Config{Paths: []string{dir}, As: try.DefaultPerson})
	if err != nil {
		t.Fatal(err)
	}
	s.TakeLines()
	return s, dir
}

// typed does lines and returns what they print.
func typed(s *try.Session, lines ...string) string {
	var out []string
	for _, line := range lines {
		for _, l := range s.Do(line) {
			out = append(out, l.String())
		}
	}
	return strings.Join(out, "\n")
}

// rewrite replaces a text in a file, once.
func rewrite(t *testing.T, path, old, with string) {
	t.Helper()
	content := string(readFile(t, path))
	if strings.Count(content, old) != 1 {
		t.Fatalf("%q is there %d times", old, strings.Count(content, old))
	}
	if err := os.WriteFile(path, []byte(strings.Replace(content, old, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTryReadsChangedFilesByItself(t *testing.T) {
	s, dir := tryIn(t)
	typed(s, "a booking please")
	path := filepath.Join(dir, "20-booking.yaml")
	rewrite(t, path, "Where may we reach you?", "How do we reach you?")
	if got := typed(s, "4"); !strings.Contains(got, "4 files read") || !strings.Contains(got, "bot: How do we reach you?") {
		t.Errorf("the new text is not asked, in the conversation that is under way:\n%s", got)
	}

	rewrite(t, path, "How do we", "{{nobody}}")
	got := typed(s, "carla")
	for _, want := range []string{"! 20-booking.yaml\n", "line 27 ", "the last good version stays in force", "bot: How do we reach you?"} {
		if !strings.Contains(got, want) {
			t.Errorf("a broken file: it does not say %q:\n%s", want, got)
		}
	}
	if got := strings.Join(s.StandingText(), ", "); !strings.Contains(got, "the files have problems") {
		t.Error(got)
	}
	if got := typed(s, "/save", "carla?"); !strings.Contains(got, "! the rule files have problems") || strings.Contains(got, "line 27") {
		t.Errorf("it is told once, and nothing is saved:\n%s", got)
	}

	rewrite(t, path, "{{nobody}}", "And where do we")
	if got := typed(s, "carla again"); !strings.Contains(got, "bot: And where do we reach you?") {
		t.Errorf("mended, it goes on where it was:\n%s", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := typed(s, "/reload"); !strings.Contains(got, "! there is no file or folder") || !s.Failed {
		t.Error(got)
	}
}

func TestTrySaysWhichTestsFail(t *testing.T) {
	s, dir := tryIn(t)
	rewrite(t, filepath.Join(dir, "10-shop.yaml"), `say: "when do you open?", expect: reply`, `say: "open when?", expect: reply`)
	got := typed(s, "when do you open?")
	if !strings.Contains(got, `! 10-shop.yaml`) || !strings.Contains(got, `line 19  test opening-hours: "open when?" expected reply, got no_reply`) ||
		!strings.Contains(got, "bot: Hi Guest!") {
		t.Errorf("it goes on with the rules, and says so:\n%s", got)
	}
	if got := typed(s, "/save"); !strings.Contains(got, "· saved in 10-shop.yaml") {
		t.Errorf("another test that fails keeps from saving:\n%s", got)
	}
}

func TestSavePutsNothingIntoAFileThatWouldFail(t *testing.T) {
	s, dir := tryIn(t)
	for name, tc := range map[string]struct {
		typed []string
		want  string
	}{
		"a rule that its limit keeps silent": {
			[]string{"/as @ida", "any repairs?", "any repairs?", "/save"},
			"repair matched, and is held back",
		},
		"a name for a test that has none": {
			[]string{"/as @lea", "any repairs?", "/save repairs"},
			"the tests of rules have no names",
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := folder(t, dir)
			if got := typed(s, tc.typed...); !strings.Contains(got, "! "+tc.want) {
				t.Errorf("it does not say %q:\n%s", tc.want, got)
			}
			if diff := cmp.Diff(before, folder(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATestThatFailsIsNotSaved(t *testing.T) {
	s, dir := tryIn(t)
	before := folder(t, dir)
	err := s.Files.AddTest("10-shop.yaml", edit.TestPlace{List: "rules", ID: "repair"}, []string{`- { say: "hello", expect: reply }`})
	if err == nil || !strings.HasPrefix(err.Error(), `10-shop.yaml stays as it was, since the test would not pass: "hello" expected reply`) {
		t.Error(err)
	}
	if diff := cmp.Diff(before, folder(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// folder returns the files of a folder.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		files[e.Name()] = string(readFile(t, filepath.Join(dir, e.Name())))
	}
	return files
}

// What is behind a link is written, and the link stays.
func TestWhereALinkLeads(t *testing.T) {
	t.Parallel()
	path, link := filepath.Join(t.TempDir(), "10-faq.yaml"), filepath.Join(t.TempDir(), "link.yaml")
	if err := errors.Join(os.WriteFile(path, []byte("new"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	f := try.Files{Paths: []string{link}}
	whole, err := f.PathOf("link.yaml")
	if err == nil {
		err = edit.ReplaceFile(whole, []byte("new"), []byte("patched"))
	}
	info, failed := os.Lstat(link)
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	if got := string(readFile(t, path)); got != "patched" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("behind the link it holds %q, and the link is %v", got, info.Mode())
	}
}

// Private answers reach no file, also where they are said again.
func TestSaveWritesNoPrivateAnswer(t *testing.T) {
	s, dir := tryIn(t)
	got := typed(s, "hello, a booking: carla@cyclists.example", "4", "I have none, sorry, Rua Nova 7", "carla@cyclists.example", "/save")
	if !strings.Contains(got, "· saved in 20-booking.yaml") {
		t.Fatal(got)
	}
	file := string(readFile(t, filepath.Join(dir, "20-booking.yaml")))
	if strings.Contains(file, "carla") || strings.Contains(file, "Rua Nova") {
		t.Error(file)
	}
	for _, want := range []string{
		`{ them: "hello, a booking: name@example.org", at: ask-people }`,
		`{ them: "hm", at: ask-contact }`,
		`{ them: "name@example.org", at: done }`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("there is no %s:\n%s", want, file)
		}
	}
	if problems := problemsIn(t, dir); problems != "" {
		t.Error(problems)
	}
}

// What rules say cannot reach into the terminal.
func TestTryPrintsNoControlCharacters(t *testing.T) {
	s, dir := tryIn(t)
	rewrite(t, filepath.Join(dir, "10-shop.yaml"), `"Hi {{first_name|there}}!`, `"\e[2J\x07\u202eHi {{first_name|there}}!\nAnd {{text}}.`)
	got := typed(s, "/as @e\x1b[31mve", "when do you open?\x1b]0;x\x07", "/trace", "hello\x1b[2J", "/\x1b[2J")
	if !strings.Contains(got, "bot: [2JHi E") || !strings.Contains(got, "\n             And when do you open?") {
		t.Errorf("the text is not there, or not its second line:\n%s", got)
	}
	for _, ch := range got {
		if ch < ' ' && ch != '\n' || ch == '\u202e' || ch == 0x7f {
			t.Fatalf("there is %q in\n%q", ch, got)
		}
	}
}

// Whatever is typed, it goes on, prints what a terminal can show, and leaves rule files that work.
func TestTryTakesWhateverIsTyped(t *testing.T) {
	t.Parallel()
	src, err := rules.ReadSources("testdata/try/rules")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	line := rapid.OneOf(
		rapid.SampledFrom([]string{
			"when do you open?", "a booking", "4", "lots", "carla@cyclists.example", "human", "a refund!", "stop", "hello", "//wait",
			"/follow", "/like", "/repost", "/follows yes", "/follows no", "/give-back", "/list rivals", "/trace", "/reload", "/help",
			"/as @ana", "/as guest", "/wait 3h", "/wait 25h", "/wait 31m", "/at Sat 23:00", "/at Tue 10:00", "/status file", "/status live",
			"/mention lovely", "/mention when do you open?", "/reply a refund", "/save", "/save", "/save", "/save it",
		}),
		rapid.String(),
		rapid.Map(rapid.String(), func(s string) string { return "/" + s }),
	)
	rapid.Check(t, func(t *rapid.T) {
		for name, content := range src {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := try.NewSession(try.Config{Paths: []string{dir}, As: try.DefaultPerson})
		if err != nil {
			t.Fatal(err)
		}
		for _, typed := range rapid.SliceOfN(line, 1, 12).Draw(t, "typed") {
			for _, l := range s.Do(typed) {
				if strings.ContainsFunc(l.String(), func(ch rune) bool { return ch != '\n' && unicode.IsControl(ch) }) {
					t.Fatalf("%q prints %q", typed, l.String())
				}
			}
		}
		now, err := rules.ReadSources(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, report := rulecheck.Check(now); !report.OK() {
			t.Fatalf("the files are spoiled: %s", report.Problems.Errors())
		}
	})
}
