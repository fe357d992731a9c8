package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SplitQuestions cuts a text into what may be asked in it one after the other: at the ends of sentences and lines, and before a question word behind "and".
// What only greets or thanks belongs to what stands beside it. The parts are the whole text, but for spaces.
func SplitQuestions(text string) []string {
	var parts []string
	from := 0
	cut := func(at int) {
		if part := strings.TrimSpace(text[from:at]); part != "" {
			parts = append(parts, part)
		}
		from = at
	}
	for i, c := range text {
		if i < from || !strings.ContainsRune(".!?…;\n 。！？؟", c) {
			continue
		}
		switch behind := i + utf8.RuneLen(c); {
		case c == ' ':
			if asksOn(text[behind:]) {
				cut(behind)
			}
		case c == '\n' || c == '。' || c == '！' || c == '？' || behind == len(text) || text[behind] == ' ' || text[behind] == '\n':
			cut(behind)
		}
	}
	cut(len(text))
	return withManners(parts)
}

// withManners puts what only greets or thanks to the part behind it, or before it at the end.
func withManners(parts []string) []string {
	var all []string
	before := ""
	for _, p := range parts {
		if onlyManners(p) {
			before += p + " "
			continue
		}
		all = append(all, before+p)
		before = ""
	}
	switch before = strings.TrimSpace(before); {
	case before == "":
	case len(all) == 0:
		return []string{before}
	default:
		all[len(all)-1] += " " + before
	}
	return all
}

func onlyManners(part string) bool {
	for _, w := range Read(part).words {
		if first, _ := utf8.DecodeRuneInString(w.text); (unicode.IsLetter(first) || unicode.IsNumber(first)) && !politeWords[w.text] && !manners[w.meantText()] {
			return false
		}
	}
	return true
}

// manners are words with which people greet and thank, beside those that are polite.
var manners = wordSet(`good morning day afternoon evening there dear team all thank you very much so a lot thx ty cheers regards
	buenos buenas dias tardes noches muchas mil saludos que tal bom boa dia tarde noite muito tudo bem
	bonsoir beaucoup bonne journee guten morgen tag abend schonen vielen dank lieben grusse`)

// asksOn reports whether a text begins with "and" and a question word, perhaps with one short word in between: "and at what time".
func asksOn(text string) bool {
	var words [3]string
	n := 0
	for w := range strings.FieldsSeq(text) {
		if n > 0 || andWords[strings.ToLower(w)] != nil {
			if read := Read(strings.TrimFunc(w, unicode.IsPunct)).words; len(read) > 0 {
				words[n] = read[0].meantText()
			}
			n++
		}
		if n == 0 || n == len(words) {
			break
		}
	}
	questions := andWords[words[0]]
	return n > 1 && (slices.Contains(questions, words[1]) || slices.Contains(shortWords, words[1]) && slices.Contains(questions, words[2]))
}

// andWords leads from each word for "and" to the question words of its language, without accents.
var andWords = map[string][]string{
	"and": english, "&": english, "also": english,
	"y":   strings.Fields("que cuanto cuanta cuantos cuantas cuando donde adonde como cual cuales quien quienes"),
	"e":   strings.Fields("que quanto quanta quantos quantas quando onde aonde como qual quais quem"),
	"et":  strings.Fields("combien quand ou comment quel quelle quels quelles qui que quoi est pourquoi"),
	"und": strings.Fields("was wie wo wann wer welche welcher welches welchen wieviel warum wieso wohin gibt habt haben kann"),
}

var english = strings.Fields("what whats when whens where wheres who whos which how hows why do does is are can could")

var shortWords = strings.Fields("at to for from in on by with until till about also a de desde hasta para por con em ate com pour avec depuis jusqu um ab bis zu fur mit von")
