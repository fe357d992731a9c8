package textfile

import (
	"slices"
	"strings"
	"unicode"
)

// Text reads a text that people will read, which is never empty, and refuses what YAML would make of it silently.
func (n Node) Text() (string, Problems) {
	if n.Kind() == Mapping || n.Kind() == Sequence {
		return "", Problems{n.mustBe("a text")}
	}
	s, problems := n.readWord()
	if len(problems) > 0 {
		return s, problems
	}
	first, _ := firstRune(s)
	if last := s[len(s)-1]; strings.ContainsRune("“”„«»‘", first) && (last == '"' || last == '\'') && !n.Quoted() &&
		strings.Count(s, string(last)) == 1 && !strings.ContainsAny(s[1:], "”’»") {
		inside := s[:len(s)-1]
		return s, Problems{n.Problem("this text opens with %c and closes with %c: write straight quotes on both sides: %s", first, last, suggestQuotes(strings.TrimPrefix(inside, string(first))))}
	}
	if strings.ContainsRune("“”„«»‘", first) {
		problems = Problems{n.hintAt(`people will read the quotes %c too: write straight ones, ", if they should not`, first)}
	}
	return s, problems
}

// readWord returns a text, and refuses what YAML would make of it silently.
func (n Node) readWord() (string, Problems) {
	s := n.String()
	switch {
	case n.Kind() == Missing:
		return s, Problems{n.emptyValue()}
	case n.Kind() != Scalar:
		return s, Problems{n.mustBe("a text")}
	case n.at.hash > 0: //mutate:eaten
		return s, Problems{n.eatenProblem()}
	case strings.TrimFunc(s, unseen) == "":
		return s, Problems{n.Problem("%s is empty: write a text", n.calledText())}
	case n.Quoted():
		return s, nil
	case null(s):
		return s, Problems{n.Problem("%s means nothing in YAML: put quotes around it, or delete the line", s)}
	case boolean(s):
		return s, Problems{n.Problem("%s means true or false in YAML: put quotes around it: %q", s, s)}
	}
	if first, last := firstRune(s); first == 0xA0 || last == 0xA0 {
		return s, Problems{n.Problem("there is a non-breaking space at the edge of this text: type the space again")}
	}
	return s, nil
}

// calledText is how a text is named where it is told about.
func (n Node) calledText() string {
	if n.key == "" {
		return "this text"
	}
	return n.key
}

// unseen reports whether people see nothing of a character.
func unseen(ch rune) bool {
	return unicode.IsSpace(ch) || ch >= 0x200B && ch <= 0x200F || ch == 0x2060 || ch == 0x00AD || ch == 0x3164 || ch == 0x2800
}

func firstRune(s string) (first, last rune) {
	for i, ch := range s {
		if i == 0 {
			first = ch
		}
		last = ch
		if i == 0 && s[len(s)-1] < 0x80 {
			break
		}
	}
	return first, last
}

// eatenProblem tells that a comment took a part of a text.
func (n Node) eatenProblem() Problem {
	if n.String() == "" {
		src := n.file.src[n.at.hash:]
		line, _, _ := strings.Cut(src, "\n")
		return n.Problem("%s is empty: everything after # is a comment. Put quotes around the text: %s", n.calledText(), suggestQuotes(strings.TrimSpace(line)))
	}
	return n.Problem("everything after # is a comment, so people would read only %s. Put quotes around the text.", quote(n.String()))
}

// colonTrap tells that a mapping was meant as a text with a colon: [Price: 10].
func (n Node) colonTrap() (Problem, bool) {
	if n.Kind() != Mapping || len(n.at.parts) != 2 || n.at.parts[0].line != n.at.parts[1].line {
		return Problem{}, false
	}
	key, value := n.at.parts[0], n.at.parts[1]
	if key.style != plain || value.kind == Mapping || value.kind == Sequence || value.style != plain {
		return Problem{}, false
	}
	return n.Problem(`a text with ": " needs quotes: %s`, suggestQuotes(strings.TrimSpace(key.text+": "+value.text))), true
}

// null reports whether YAML takes a word for nothing.
func null(s string) bool { return s == "~" || s == "null" || s == "Null" || s == "NULL" }

// boolean reports whether some YAML readers take a word for true or false.
func boolean(s string) bool {
	if len(s) > 5 {
		return false
	}
	lower := strings.ToLower(s)
	if !slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false"}, lower) {
		return false
	}
	return s == lower || s == strings.ToUpper(s) || s == strings.ToUpper(s[:1])+lower[1:]
}
