package language

import (
	"strconv"
	"strings"
)

// Number reads the first number in a text: "80", "about 80 people", "1,200" (English) or "1.200" (the
// other languages), "1.5", "2k", "eighty", "two hundred and twenty", in words from 0 to 999,999. Of a
// range such as "80-100", and of several numbers, it is the first. A sole comma or point is taken for
// the decimal sign when it cannot group thousands; a word such as "un" or "eine", which may be an
// article, is a number only when nothing else is said. Digits inside of words and numbers of more than
// 15 digits are none, nor is what has the form of a date.
func (l Language) Number(text string) (float64, bool) {
	l = l.orEnglish()
	t := tokenize(text)
	for i := 0; i < len(t); i++ {
		if t[i].kind == digitToken {
			n, end, ok := l.figure(t, i)
			if ok {
				return n, true
			}
			i = end - 1
			continue
		}
		if n, end, weak := l.cardinal(t, i); end > i {
			no := l == English && end == i+1 && t.word(i-1) == "no"
			if !no && (!weak || l != English && t.alone(i, end)) {
				return float64(n), true
			}
		}
	}
	return 0, false
}

// figure reads a number in digits, and says where it ends.
func (l Language) figure(t tokens, i int) (n float64, end int, ok bool) {
	parts, signs := []string{t[i].text}, ""
	end = i + 1
	for end < len(t) {
		switch {
		case t.glued(end, ".,'’") && end+1 < len(t) && t[end+1].kind == digitToken && !t[end+1].gap:
			signs += strings.Replace(t[end].text, "’", "'", 1)
			parts = append(parts, t[end+1].text)
			end += 2
			continue
		case l != English && t[end].kind == digitToken && t[end].gap && len(t[end].text) == 3 && len(t[i].text) <= 3:
			signs += " "
			parts = append(parts, t[end].text)
			end++
			continue
		}
		break
	}
	if i > 0 && !t[i].gap && t[i-1].kind == wordToken {
		return 0, end, false
	}
	text, ok := l.joined(parts, signs)
	if !ok || len(text) > 16 {
		return 0, end, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, end, false
	}
	if t.word(end) == "k" && !t[end].gap {
		n *= 1000
		end++
	}
	if i > 0 && t.other(i-1, "-−") && !t[i].gap && (i == 1 || t[i-1].gap) {
		n = -n
	}
	return n, end, true
}

// joined puts the parts of a number together, with a point before decimals.
func (l Language) joined(parts []string, signs string) (string, bool) {
	if signs == "" {
		return parts[0], true
	}
	decimal := byte(',')
	if l == English {
		decimal = '.'
	}
	last := signs[len(signs)-1]
	groups := func(parts []string) bool {
		for i, p := range parts {
			if i > 0 && len(p) != 3 || i == 0 && (len(p) > 3 || p == "0") {
				return false
			}
		}
		return true
	}
	one := strings.Trim(signs[:len(signs)-1], signs[:1]) == ""
	switch {
	case len(signs) == 1 && last != decimal && groups(parts):
		return strings.Join(parts, ""), true
	case len(signs) == 1 && last != '\'' && last != ' ':
		return parts[0] + "." + parts[1], true
	case signs[0] == last && one && groups(parts):
		return strings.Join(parts, ""), true
	case signs[0] != last && one && last != '\'' && last != ' ' && groups(parts[:len(parts)-1]):
		return strings.Join(parts[:len(parts)-1], "") + "." + parts[len(parts)-1], true
	default:
		return "", false
	}
}
