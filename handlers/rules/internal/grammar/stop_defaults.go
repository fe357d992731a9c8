package grammar

import "github.com/nectar-bot/nectar/internal/language"

// StartWordVariable is the start word that is named, in the text of stop_answer.
const StartWordVariable = "start_word"

// StopDefault returns what people are told unless something else is written.
func StopDefault(l language.Language) string {
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

// Languages returns the languages of the folder: that of the settings, or else of the first file that says one, comes
// first.
func (fo *Folder) Languages() []language.Language {
	var all []language.Language
	if fo.Settings.Language != "" {
		all = append(all, language.Language(fo.Settings.Language))
	}
	for _, f := range fo.Files {
		if f.Language != "" {
			all = append(all, language.Language(f.Language))
		}
	}
	if len(all) == 0 {
		all = append(all, language.English)
	}
	return all
}

// StartWords returns the words that end the silence, the one that is named first.
func (fo *Folder) StartWords() []string {
	if len(fo.Settings.StartWords) > 0 {
		return fo.Settings.StartWords
	}
	var all []string
	for _, l := range fo.Languages() {
		all = append(all, l.StartWords()...)
	}
	return all
}
