package edit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/cmd/internal/edit"
)

const newsHead = "version: 1\nname: News # of the café\ncampaigns:\n  - id: news\n    do: publish\n"

// Texts get ids of their first words, and everything else stays byte for byte.
func TestTextsGetIDs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ texts, want string }{
		"plain and in quotes": {
			"    texts:\n      - The asparagus is here\n      - \"We are open: on Sunday\"   # until noon\n    slots: [Tue 09:30]\n",
			"    texts:\n      - id: the-asparagus-is\n        text: The asparagus is here\n      - id: we-are-open\n        text: \"We are open: on Sunday\"   # until noon\n    slots: [Tue 09:30]\n",
		},
		"over several lines": {
			"    texts:\n    - |\n      The menu:\n        - soup\n\n      # not a comment\n    - >-\n      One\n      line\n    # a comment\n    - plain words\n      that go on\n",
			"    texts:\n    - id: the-menu-soup\n      text: |\n        The menu:\n          - soup\n\n        # not a comment\n    - id: one-line\n      text: >-\n        One\n        line\n    # a comment\n    - id: plain-words-that\n      text: plain words\n        that go on\n",
		},
		"an id is taken": {
			"    texts:\n      - { id: hello, text: Hello }\n      - Hello!\n      - 你好\n      - \"!\"\n",
			"    texts:\n      - { id: hello, text: Hello }\n      - id: hello-2\n        text: Hello!\n      - id: 你好\n        text: 你好\n      - id: text\n        text: \"!\"\n",
		},
		"nothing to do": {"    texts:\n      - { id: hello, text: Hello }\n", "    texts:\n      - { id: hello, text: Hello }\n"},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				got, ids, err := edit.WithTextIDs("a.yaml", []byte(strings.ReplaceAll(newsHead+c.texts, "\n", eol)))
				if diff := cmp.Diff(strings.ReplaceAll(newsHead+c.want, "\n", eol), string(got)); diff != "" || err != nil {
					t.Errorf("%v (-want +got)\n%s", err, diff)
				}
				if n := strings.Count(c.want, "id: ") - strings.Count(c.texts, "id: "); len(ids) != n {
					t.Errorf("%d ids are new, and not %d", len(ids), n)
				}
			})
		}
	}
}

// Where texts stand in brackets, or a file cannot be read, nothing is guessed.
func TestTextsThatGetNoIDs(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		newsHead + "    texts: [Hello, Good morning]\n": `a.yaml, line 6: "Good morning" cannot get an id: write texts one below the other, each behind a dash, without brackets around them`,
		newsHead + "    texts:\n      - [\n":            "a.yaml",
	} {
		if got, _, err := edit.WithTextIDs("a.yaml", []byte(content)); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%q becomes %q: %v", content, got, err)
		}
	}
}
