package rules

import (
	"encoding/json"

	"github.com/nectar-bot/nectar/handlers/language"
	"github.com/nectar-bot/nectar/handlers/text"
)

// startWordVariable is the start word that is named, in the text of stop_answer.
const startWordVariable = "start_word"

// startDefaults returns the start words of a language unless others are written. The first one is named.
func startDefaults(l language.Language) []string {
	switch l {
	case language.Spanish:
		return []string{"alta", "start", "empezar"}
	case language.Portuguese:
		return []string{"voltar", "start", "começar"}
	case language.French:
		return []string{"reprendre", "start"}
	case language.German:
		return []string{"start", "weiter"}
	default:
		return []string{"start", "resume"}
	}
}

// stopDefault returns what people are told unless something else is written.
func stopDefault(l language.Language) string {
	switch l {
	case language.Spanish:
		return "No enviaremos más mensajes automáticos. Escribe {{start_word}} para volver a recibirlos."
	case language.Portuguese:
		return "Não enviaremos mais mensagens automáticas. Escreva {{start_word}} para as receber de novo."
	case language.French:
		return "Nous n'enverrons plus de messages automatiques. Écrivez {{start_word}} pour en recevoir à nouveau."
	case language.German:
		return "Es kommen keine automatischen Nachrichten mehr. Mit {{start_word}} kommen sie wieder."
	default:
		return "We will send no more automatic messages. Write {{start_word}} to get them again."
	}
}

// languages returns the languages of the folder: that of the settings, or else of the first file that says one, comes
// first.
func (fo *folder) languages() []language.Language {
	var all []language.Language
	if fo.settings.Language != "" {
		all = append(all, language.Language(fo.settings.Language))
	}
	for _, f := range fo.files {
		if f.Language != "" {
			all = append(all, language.Language(f.Language))
		}
	}
	if len(all) == 0 {
		all = append(all, language.English)
	}
	return all
}

// startWords returns the words that end the silence, the one that is named first.
func (fo *folder) startWords() []string {
	if len(fo.settings.StartWords) > 0 {
		return fo.settings.StartWords
	}
	var all []string
	for _, l := range fo.languages() {
		all = append(all, startDefaults(l)...)
	}
	return all
}

// silence takes over what ends and begins silence.
func (v *Version) silence() error {
	s, starts := &v.folder.settings, v.folder.startWords()
	v.stopWords, v.startWords, v.startWord = language.NewPhrases(s.StopWords...), language.NewPhrases(starts...), starts[0]
	if v.stopAnswer = s.StopAnswer; v.stopAnswer.Raw() != "" {
		return nil
	}
	var err error
	v.stopAnswer, err = text.ParseTemplate(stopDefault(v.folder.languages()[0]))
	return err
}

// stops tells whether a message asks us to be silent.
func (v *Version) stops(said string) bool {
	return len(v.stopWords) > 0 && len(said) <= mostStopText && v.stopWords.Edge(language.Read(said), mostStopWords)
}

// restarts tells whether a message asks us to speak again.
func (v *Version) restarts(said string) bool {
	return len(said) <= mostStopText && v.startWords.Edge(language.Read(said), mostStopWords)
}

// Silenced tells whether a person asked for silence, by the values that are kept of the conversation.
func Silenced(values map[string]json.RawMessage) bool {
	var m Memory
	return json.Unmarshal(values[memoryPlugin+"/"+memoryName], &m) == nil && m.Stopped
}
