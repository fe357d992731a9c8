package engine

import (
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language"
)

// compileSilence takes over what ends and begins silence.
func (v *Version) compileSilence() error {
	s, starts := &v.Folder.Settings, v.Folder.StartWords()
	v.stopWords, v.startWords, v.startWord = language.NewPhrases(s.StopWords...), language.NewPhrases(starts...), starts[0]
	if v.stopAnswer = s.StopAnswer; v.stopAnswer.String() != "" {
		return nil
	}
	var err error
	v.stopAnswer, err = template.Parse(grammar.StopDefault(v.Folder.Languages()[0]))
	return err
}

// AsksForSilence reports whether a message asks us to be silent.
func (v *Version) AsksForSilence(said string) bool {
	if len(v.stopWords) == 0 || len(said) > mostStopText {
		return false
	}
	r := language.Read(said)
	asked := v.stopWords.SilenceAsked(r)
	v.heard.Store(&heard{said, r})
	return asked
}

// heard is a message that was read before it is decided about.
type heard struct {
	said    string
	reading *language.Reading
}

// readingOf reads a text, unless it was read just now: to read takes longer than most of what is decided by it.
func (v *Version) readingOf(said string) *language.Reading {
	if h := v.heard.Swap(nil); h != nil && h.said == said {
		return h.reading
	}
	return language.Read(said)
}

// AsksToSpeak reports whether a message asks us to speak again.
func (v *Version) AsksToSpeak(said string) bool {
	return len(said) <= mostStopText && v.startWords.AreAsked(language.Read(said))
}
