package checker

import (
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// stopWords checks what begins and ends silence.
func (c *checker) stopWords(s *grammar.Settings) {
	c.someWord("stop_words", s.StopWords)
	c.someWord("start_words", s.StartWords)
	starts := match.NewPhrases(c.StartWords()...)
	for i, w := range s.StopWords {
		if starts.AreAsked(match.Read(w)) {
			c.add(c.SettingAt("stop_words", i), "stop_words: %q is a start word, too: keep it in one of the two", w)
		}
	}
	if len(s.StopWords) == 0 && !c.IsSpoiled(grammar.SettingsFile) {
		if len(s.StartWords) > 0 || s.StopAnswer.String() != "" {
			at := c.SettingAt("start_words")
			if len(s.StartWords) == 0 {
				at = c.SettingAt("stop_answer")
			}
			c.noteHint(at, "start_words and stop_answer do nothing without stop_words")
		}
	}
	if s.StopAnswer.String() != "" {
		c.stopAnswer(s)
	}
}

// withoutStopWords tells when a folder that is live has settings, and no stop words among them.
func (c *checker) withoutStopWords() {
	if c.Settings.File == "" || len(c.Settings.StopWords) > 0 || c.IsSpoiled(grammar.SettingsFile) {
		return
	}
	for _, f := range c.Files {
		if f.StatusOf() == decision.Live && len(f.Rules)+len(f.Conversations) > 0 {
			c.noteHint(textfile.At{File: grammar.SettingsFile}, "%s is live, and nobody can ask for silence: write for example stop_words: [stop, unsubscribe]", f.File)
			return
		}
	}
}

// takenByStop finds words that no rule ever hears in a message: they ask for silence before any rule is looked at.
func (c *checker) takenByStop(whens []grammar.When, conditions grammar.Conditions) {
	if len(c.stops) == 0 || slices.ContainsFunc(whens, func(w grammar.When) bool { return w != grammar.OnMessage }) {
		return
	}
	for i := range conditions {
		t := conditions[i].Text
		if t == nil {
			continue
		}
		for _, it := range []struct {
			key     string
			entries []string
		}{{"any_word", grammar.OneByOne(t.AnyWord)}, {"any_phrase", t.AnyPhrase}} {
			for _, e := range it.entries {
				if len(e) <= match.MaxEntry && c.stops.SilenceAsked(match.Read(e)) {
					c.noteHint(t.At, "%s: who writes %s and nothing else asks for silence, by stop_words, and this is not looked at", it.key, shortQuote(e))
				}
			}
		}
	}
}

// stopAnswer checks what somebody is told who asks for silence.
func (c *checker) stopAnswer(s *grammar.Settings) {
	const where = "stop_answer: "
	at := c.SettingAt("stop_answer")
	names := c.toAnybody(at, where, &s.StopAnswer, bot.MaxMessage, grammar.StartWordVariable)
	says := " " + grammar.PlainText(s.StopAnswer.String()) + " "
	names = names || slices.ContainsFunc(c.StartWords(), func(w string) bool {
		return grammar.PlainText(w) != "" && strings.Contains(says, " "+grammar.PlainText(w)+" ")
	})
	if !names {
		c.add(at, "%sit does not say how to begin again: write {{%s}} where the word is to stand", where, grammar.StartWordVariable)
	}
}

// toAnybody checks a text that can be said at any time: its only variables may be the person's names, and those in more. It reports whether one of
// more is there.
func (c *checker) toAnybody(at textfile.At, where string, t *template.Template, most int, more ...string) (has bool) {
	known := []string{"first_name", "name", "user_name"}
	for _, v := range t.Variables() {
		switch {
		case slices.Contains(more, v.Name):
			has = true
		case !slices.Contains(known, v.Name):
			c.add(at, "%sthere is no {{%s}} here. Known are %s", where, v.Name, strings.Join(slices.Concat(more, known), ", "))
		case v.Fallback == "":
			c.add(at, "%s{{%s}} needs a fallback, since not everybody has a name: for example {{%s|friend}}", where, v.Name, v.Name)
		}
	}
	if n := letterCount(t); n > most {
		c.add(at, "%sthis text has %d characters, and may have %d: make it shorter", where, n, most)
	}
	return has
}

func (c *checker) someWord(key string, words []string) {
	for i, w := range words {
		if grammar.PlainText(w) == "" {
			c.add(c.SettingAt(key, i), "%s: there is no word in %q", key, w)
		} else if strings.ContainsAny(w, grammar.OtherCommas) {
			c.add(c.SettingAt(key, i), "%s: %s is one phrase: put a , between words", key, shortQuote(w))
		} else if ch := grammar.FirstInvisible(w); ch != "" {
			c.noteHint(c.SettingAt(key, i), "%s: a character that nobody sees (%s) stands in %q: write it anew by hand", key, ch, w)
		}
	}
}
