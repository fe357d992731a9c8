package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/language"
)

// begins runs init in a new folder, with a password on standard input.
func begins(t *testing.T, dir string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	sh := cli.Shell{
		Args: append([]string{"init", "--dir", dir, "--password-stdin"}, args...), Stdin: strings.NewReader(hunter2 + "\n"), Stdout: &out, Stderr: &err,
	}
	return result{execute(t.Context(), sh), out.String(), err.String()}
}

func TestInit(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"nothing said":   nil,
		"a shop":         {"--timezone", "Europe/Lisbon", "--hours", "Mon-Fri 09:00-18:30", "--hours", "Sat 10:00-14:00"},
		"another tongue": {"--language", "es", "--base-url", "https://social.example/mobile_api", "--email", "bot@social.example"},
		"always":         {"--hours", "Mon-Sun 00:00-24:00"},
		"at night":       {"--hours", "Mon-Sun 22:00-06:00", "--timezone", "America/New_York"},
		"never on Monday": {
			"--hours", "Tue-Wed 08:00-12:00", "--hours", "Tue-Wed 13:00-17:00", "--hours", "Thu 08:00-12:00",
		},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			dir := t.TempDir()
			got := begins(t, dir, args...)
			if got.status != 0 || got.stderr != "" || !strings.Contains(got.stdout, "6 files read, no problems.") {
				t.Fatalf("status %d\n%s%s", got.status, got.stdout, got.stderr)
			}
			if strings.Contains(got.stdout, hunter2) {
				t.Error("the password is printed")
			}
			src, err := rules.ReadSources(filepath.Join(dir, "rules"))
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range src {
				if bytes.Contains(content, []byte("%")) || bytes.Contains(content, []byte("status: live")) {
					t.Errorf("%s:\n%s", name, content)
				}
			}
			env, err := os.ReadFile(filepath.Join(dir, ".env"))
			if err != nil || !bytes.Contains(env, []byte("NECTAR_PASSWORD='"+hunter2+"'")) {
				t.Errorf("%s: %v", env, err)
			}
			info, err := os.Stat(filepath.Join(dir, ".env"))
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%v: %v", info.Mode(), err)
			}
		})
	}
}

// The files to begin with are written in the language that people write in, with the same rules, steps and tests.
func TestInitSpeaks(t *testing.T) {
	t.Parallel()
	inEnglish := map[string]string{}
	for _, l := range allLanguages() {
		dir := t.TempDir()
		if got := begins(t, dir, "--language", l, "--hours", "Mon-Fri 09:00-18:30", "--hours", "Sat, Sun 10:00-14:00", "--hours", "every day 20:00-21:00"); got.status != 0 ||
			!strings.Contains(got.stdout, "6 files read, no problems.") {
			t.Fatalf("%s: status %d\n%s%s", l, got.status, got.stdout, got.stderr)
		}
		src, err := rules.ReadSources(filepath.Join(dir, "rules"))
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range src {
			texts := quotedIn(string(content))
			if l == "en" {
				inEnglish[name] = string(content)
			}
			if diff := cmp.Diff(bones(inEnglish[name]), bones(string(content))); diff != "" {
				t.Errorf("%s/%s is built otherwise than the English one:\n%s", l, name, diff)
			}
			for _, said := range texts {
				if l != "en" && len(strings.Fields(said)) > 2 && strings.Contains(inEnglish[name], said) {
					t.Errorf("%s/%s is not translated: %s", l, name, said)
				}
			}
		}
		want := map[string]string{
			"en": "Mon-Fri 09:00-18:30, Sat, Sun 10:00-14:00 and every day 20:00-21:00", "es": "lun-vie 09:00-18:30, sáb, dom 10:00-14:00 y todos los días 20:00-21:00",
			"pt": "seg-sex 09:00-18:30, sáb, dom 10:00-14:00 e todos os dias 20:00-21:00", "fr": "lun-ven 09:00-18:30, sam, dim 10:00-14:00 et tous les jours 20:00-21:00",
			"de": "Mo-Fr 09:00-18:30, Sa, So 10:00-14:00 und täglich 20:00-21:00",
		}[l]
		if faq := string(src["10-faq.yaml"]); !strings.Contains(faq, want) {
			t.Errorf("%s: the hours are not said as %q:\n%s", l, want, faq)
		}
	}
}

// quotedIn returns the texts of a file that stand in quotes.
func quotedIn(content string) []string { return inQuotation.FindAllString(content, -1) }

var (
	inQuotation = regexp.MustCompile(`"[^"]*"`)
	inBrackets  = regexp.MustCompile(`\[[^\]]*\]`)
	named       = regexp.MustCompile(`name: [^#\n]*|language: ..`)
)

// bones returns a file without what is written in a language.
func bones(content string) string {
	for _, flesh := range []*regexp.Regexp{inQuotation, inBrackets, named} {
		content = flesh.ReplaceAllString(content, "…")
	}
	return content
}

// What is there already is never touched.
func TestInitKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "rules", "10-faq.yaml")
	if err := os.MkdirAll(filepath.Dir(mine), 0o700); err != nil {
		t.Fatal(err)
	}
	const content = "version: 1\nstatus: paused\n"
	if err := os.WriteFile(mine, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := begins(t, dir); got.status != 1 || !strings.Contains(got.stderr, "10-faq.yaml: already there, and nothing was written") {
		t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, ".env")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	if got := begins(t, dir, "--force"); !strings.Contains(got.stdout, "is there already, and stays") {
		t.Errorf("status %d\n%s%s", got.status, got.stdout, got.stderr)
	}
	if now, err := os.ReadFile(mine); err != nil || string(now) != content {
		t.Errorf("%s: %v", now, err)
	}
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	for flag, args := range map[string][]string{
		"--timezone": {"--timezone", "Lisbon"},
		"--language": {"--language", "xx"},
		"--hours":    {"--hours", "9 to 5"},
		"--base-url": {"--base-url", "https://social.example\nNECTAR_X=1"},
	} {
		if got := begins(t, t.TempDir(), args...); got.status != 2 || !strings.Contains(got.stderr, flag) || strings.Contains(got.stderr, hunter2) {
			t.Errorf("%v: status %d\n%s%s", args, got.status, got.stdout, got.stderr)
		}
	}
}

// allLanguages returns the codes of the languages that people may write in, English first.
func allLanguages() (codes []string) {
	for _, l := range language.AllLanguages() {
		codes = append(codes, string(l))
	}
	return codes
}
