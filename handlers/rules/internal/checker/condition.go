package checker

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/internal/language/match"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// checkConditions checks conditions. t is the conversation that they are part of, nil in a rule.
func (c *checker) checkConditions(f *grammar.File, conditions grammar.Conditions, t *plan) {
	c.checkCalendar(f, conditions)
	var hours grammar.OpenClosed
	for i := range conditions {
		cond := &conditions[i]
		if cond.Hours != "" && hours != "" && cond.Hours != hours {
			c.noteHint(cond.At, "hours: open and hours: closed are never both so, and this never holds: make two of it")
		}
		hours = cmp.Or(cond.Hours, hours)
		if cond.Text != nil {
			c.textCondition(cond.Text)
		}
		if cond.Sender != nil {
			c.sender(cond.Sender)
		}
		if p := cond.Post; p != nil {
			c.post(p)
		}
		if cond.Hours != "" && c.Hours(f) == nil {
			c.add(cond.At, "hours: nobody says when you are at work: write hours in settings.yaml, for example open: [Mon-Fri 09:00-18:00]")
		}
		if conv := cond.Conversation; conv != nil {
			c.checkOwner(conv, t)
		}
		if t != nil {
			for j := range cond.Answers {
				c.checkAnswer(t, &cond.Answers[j])
			}
		}
		if isEmpty(cond) {
			c.add(cond.At, "this condition is empty, and holds always: leave it out, or write for example text: { any_word: [price] }")
		}
	}
}

// isEmpty reports whether a condition asks for nothing.
func isEmpty(cond *grammar.Condition) bool {
	return cond.Text == nil && cond.Sender == nil && cond.Post == nil && cond.Hours == "" && cond.Conversation == nil && len(cond.Answers) == 0 &&
		len(cond.Day) == 0 && len(cond.Date) == 0
}

func (c *checker) post(p *grammar.PostCondition) {
	if p.NewerThan > 0 && p.OlderThan >= p.NewerThan {
		c.add(p.At, "post: no post is newer than %s and older than %s", p.NewerThan, p.OlderThan)
	}
	if p.Text != nil {
		c.textCondition(p.Text)
	}
	for _, tag := range p.WithTag {
		if grammar.PlainText(tag) == "" {
			c.add(p.At, "with_tag: there is no word in %q", tag)
		}
	}
}

func (c *checker) sender(s *grammar.SenderCondition) {
	for _, code := range s.Writes {
		if !slices.Contains(match.WritingNames(), strings.ToLower(code)) {
			c.add(s.At, "writes: %q is no language that can be told from a text. Write some of %s", code, strings.Join(match.WritingNames(), ", "))
		}
	}
	for _, it := range []struct {
		key   string
		names []string
		known map[string]bool
	}{
		{"labels_any", s.LabelsAny, c.labels},
		{"labels_all", s.LabelsAll, c.labels},
		{"labels_none", s.LabelsNone, c.labels},
		{"in_list", s.InList, c.lists},
		{"not_in_list", s.NotInList, c.lists},
	} {
		c.findSlips(s.At, it.key, it.names, it.known)
	}
	for _, it := range []struct {
		yes, no   []string
		yesK, noK string
	}{
		{s.LabelsAny, s.LabelsNone, "labels_any", "labels_none"},
		{s.LabelsAll, s.LabelsNone, "labels_all", "labels_none"},
		{s.InList, s.NotInList, "in_list", "not_in_list"},
		{s.Is, s.IsNot, "is", "is_not"},
	} {
		no := map[string]bool{}
		for _, name := range it.no {
			no[name] = true
		}
		for _, name := range it.yes {
			// Such a condition never holds, and nobody sees that from its rule being silent.
			if no[name] {
				c.add(s.At, "%q is in %s and in %s", name, it.yesK, it.noK)
			}
		}
	}
}

// mostNames is among how many names the one that was meant is looked for.
const mostNames = 200

// findSlips finds names of labels and lists that look misspelt. They may come from elsewhere: only what is
// like another one is worth a word.
func (c *checker) findSlips(at textfile.At, key string, names []string, known map[string]bool) {
	if len(known) > mostNames || c.count[counted{at.File, true}] == mostHints {
		return
	}
	for _, name := range names {
		if known[name] {
			continue
		}
		if near := textfile.NearestWord(name, slices.Sorted(maps.Keys(known))); near != "" {
			c.noteHint(at, "%s: nothing here is called %q. Did you mean %q?", key, name, near)
		}
	}
}

// textCondition checks what a text has to say.
func (c *checker) textCondition(t *grammar.TextCondition) {
	if !t.IsPositive() && len(t.NoneWord)+len(t.NonePhrase) == 0 {
		c.add(t.At, "text asks for nothing: write for example any_word: [price, prices]")
		return
	}
	before := c.count[counted{t.File, false}]
	c.checkEntries(t)
	c.contradictions(t)
	c.fuzzy(t)
	for _, m := range t.Matches {
		if problem := expressionProblem(m); problem != "" {
			c.add(t.At, "matches: %s: %s", shortQuote(m), problem)
		}
	}
	if c.count[counted{t.File, false}] == before {
		c.looked = append(c.looked, t)
	}
}

// checkEntries checks that there is something to look for in each entry.
func (c *checker) checkEntries(t *grammar.TextCondition) {
	for _, it := range []struct {
		key     string
		entries []string
	}{
		{"any_word", t.AnyWord},
		{"any_phrase", t.AnyPhrase},
		{"none_word", t.NoneWord},
		{"none_phrase", t.NonePhrase},
		{"only", t.Only},
		{"contains", t.Contains},
	} {
		entries := it.entries
		if strings.HasSuffix(it.key, "_word") || it.key == "only" {
			entries = grammar.OneByOne(entries)
		}
		seen := map[string]bool{}
		for _, e := range entries {
			words := grammar.PlainText(e)
			switch {
			case len(e) > match.MaxEntry:
				c.add(t.At, "%s: %s is too long to be looked for: %d bytes at most", it.key, shortQuote(e), match.MaxEntry)
			case it.key == "contains":
				switch ch := grammar.FirstInvisible(e); {
				case strings.TrimSpace(e) == "":
					c.add(t.At, "contains: an entry is empty")
				case ch != "":
					c.noteHint(t.At, "contains: a character that nobody sees (%s) stands in %q: write it anew by hand", ch, e)
				}
			case words == "":
				c.add(t.At, "%s: there is no word in %q: no letter, digit or emoji. For other characters write contains", it.key, e)
			case grammar.FirstInvisible(e) != "":
				c.noteHint(t.At, "%s: a character that nobody sees (%s) stands in %q: write it anew by hand", it.key, grammar.FirstInvisible(e), e)
			case strings.Contains(e, "*"):
				c.noteHint(t.At, "%s: a * stands for nothing here, and %s is looked for as %q. %s", it.key, shortQuote(e), words, forStar(it.key, e))
			case seen[words]:
				c.noteHint(t.At, "%s: %q is there twice", it.key, e)
			case strings.ContainsAny(e, grammar.OtherCommas):
				c.noteHint(t.At, "%s: %s is one phrase: where these are several, put a , between them; where it is one, leave its comma out, which does not count", it.key, shortQuote(e))
			}
			seen[words] = true
		}
	}
}

// forStar says what to write in place of a star.
func forStar(key, entry string) string {
	stem := strings.Trim(entry, "* ")
	if strings.HasPrefix(key, "none") || strings.Contains(stem, "*") {
		return "Write the words one by one"
	}
	return fmt.Sprintf("For words that have it in them write contains: [%s]", stem)
}

// contradictions finds entries that can never be there because of what must not be.
func (c *checker) contradictions(t *grammar.TextCondition) {
	none := map[string]string{} // by their words: the key
	most := 0
	for _, it := range []struct {
		key     string
		entries []string
	}{{"none_word", t.NoneWord}, {"none_phrase", t.NonePhrase}} {
		for _, e := range it.entries {
			words := bot.Words(e)
			if len(words) > 0 {
				none[strings.Join(words, " ")] = it.key
				most = min(max(most, len(words)), mostInRow)
			}
		}
	}
	for _, it := range []struct {
		key     string
		entries []string
	}{{"any_word", t.AnyWord}, {"any_phrase", t.AnyPhrase}} {
		for _, e := range it.entries {
			if without, key := partOf(bot.Words(e), none, most); key != "" {
				c.add(t.At, "%s: %q is never found, since %s has %q", it.key, e, key, without)
			}
		}
	}
}

// mostInRow is up to how many words entries are compared.
const mostInRow = 8

// partOf returns what of some entries stands in a row of words. None of them has more than most words.
func partOf(words []string, entries map[string]string, most int) (part, key string) {
	for i := range words {
		for j := i + 1; j <= min(len(words), i+most); j++ {
			part := strings.Join(words[i:j], " ")
			if key, ok := entries[part]; ok {
				return part, key
			}
		}
	}
	return "", ""
}

// Typing mistakes are forgiven in words of fewLetters on, and one in a word with one letter less in a phrase of fewWords on.
const fewLetters, fewWords = 5, 3

// fuzzy tells when typing mistakes are not forgiven.
func (c *checker) fuzzy(t *grammar.TextCondition) {
	if !t.Fuzzy {
		return
	}
	var brief []string
	long := false
	for _, e := range slices.Concat(t.AnyWord, t.AnyPhrase) {
		words := bot.Words(e)
		fits := slices.ContainsFunc(words, func(w string) bool {
			n := utf8.RuneCountInString(w)
			return n >= fewLetters || n == fewLetters-1 && len(words) >= fewWords
		})
		long = long || fits
		if !fits {
			brief = append(brief, e)
		}
	}
	switch {
	case !long:
		c.noteHint(t.At, "fuzzy does nothing here: it forgives mistakes in words of five letters or more")
	case len(brief) > 0:
		c.noteHint(t.At, "fuzzy forgives nothing in %s: the word is too short", shortQuote(strings.Join(brief, ", ")))
	}
}

// expressionProblem returns what is wrong with a pattern, "" when nothing is.
func expressionProblem(m string) string {
	if len(m) > match.MaxEntry {
		return fmt.Sprintf("it is too long: %d bytes at most", match.MaxEntry)
	}
	tree, err := syntax.Parse(m, syntax.Perl|syntax.FoldCase)
	var wrong *syntax.Error
	switch {
	case err == nil && fitsNothing(tree.Simplify()):
		return "it fits every text, since it is there even where nothing is: write for example + in place of *"
	case err == nil:
		return ""
	case !errors.As(err, &wrong):
		return err.Error()
	case looksAround(m):
		return "there is no looking ahead or behind here: write what must not be there as none_word or none_phrase"
	default:
		return expressionFault(wrong)
	}
}

// fitsNothing reports whether a pattern fits where no text is, and so everywhere.
func fitsNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return fitsNothing(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !fitsNothing(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, fitsNothing)
	default:
		return false
	}
}

// looksAround reports whether a pattern has what other dialects have for looking ahead and behind.
func looksAround(m string) bool {
	return slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!"}, func(s string) bool { return strings.Contains(m, s) })
}

// expressionFault says in plain words what is wrong with a pattern.
func expressionFault(wrong *syntax.Error) string {
	switch expr := shortQuote(wrong.Expr); wrong.Code {
	case syntax.ErrMissingParen:
		return `a ) is missing; a real ( is written \(`
	case syntax.ErrUnexpectedParen:
		return `there is a ) too many; a real ) is written \)`
	case syntax.ErrMissingBracket:
		return `a ] is missing; a real [ is written \[`
	case syntax.ErrMissingRepeatArgument:
		return fmt.Sprintf(`in front of %s is nothing that it could repeat; a real * is written \*`, expr)
	case syntax.ErrInvalidRepeatOp:
		return fmt.Sprintf("%s repeats what is repeated already", expr)
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		return fmt.Sprintf("%s is too large", expr)
	case syntax.ErrTrailingBackslash:
		return `it ends with a \; a real one is written \\`
	case syntax.ErrInvalidEscape:
		if digit := strings.TrimLeft(wrong.Expr, `\`); digit != "" && '1' <= digit[0] && digit[0] <= '9' {
			return fmt.Sprintf("%s, what was found before, cannot be asked for again: write the texts out in any_phrase", expr)
		}
		return fmt.Sprintf(`%s has no meaning; a real \ is written \\`, expr)
	default:
		return fmt.Sprintf("%s: %s", wrong.Code, expr)
	}
}

// shortQuote quotes a text, or its beginning, on one line.
func shortQuote(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 60 {
		s = string(runes[:60]) + "…"
	}
	return `"` + s + `"`
}
