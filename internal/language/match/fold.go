package match

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// DecodeText returns a text with its HTML entities as the characters they stand for: the platform keeps
// texts the way a page holds them.
func DecodeText(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return html.UnescapeString(text)
}

// composeText returns a text in which the same character is written in one way: an accent and its letter are one, and letters that are only
// dressed up – ligatures, full and half width, the alphabets meant for formulas – are those they stand for (Unicode's NFKC).
func composeText(text string) string {
	for i := range len(text) {
		if text[i] < utf8.RuneSelf {
			continue
		}
		if norm.NFKC.QuickSpanString(text) == len(text) {
			return text
		}
		if strings.ContainsFunc(text, undressed) {
			return composedBut(text)
		}
		return norm.NFKC.String(text)
	}
	return text
}

// composedBut composes what stands between characters that stay as they are.
func composedBut(text string) string {
	var b strings.Builder
	for text != "" {
		at := strings.IndexFunc(text, undressed)
		if at < 0 {
			at = len(text)
		}
		b.WriteString(norm.NFKC.String(text[:at]))
		_, size := utf8.DecodeRuneInString(text[at:])
		b.WriteString(text[at : at+size])
		text = text[at+size:]
	}
	return b.String()
}

// undressed reports whether a character says something else than the one that Unicode takes it for: ½ behind a 2 is no 12, 10² no 102, Nº and № no
// "no", and ™ no part of the word in front of it. ´ is an apostrophe.
func undressed(r rune) bool {
	switch {
	case r < 0xAA:
		return false
	case r <= 0xBE:
		return r == 'ª' || r == '²' || r == '³' || r == '´' || r == '¹' || r == 'º' || r >= '¼'
	case r < 0x2070 || r > 0x2189:
		return false
	default:
		return r <= 0x2079 || r >= 0x2080 && r <= 0x2089 || r == '№' || r >= 0x2120 && r <= 0x2122 || r >= 0x2150 && r <= 0x215F || r == 0x2189
	}
}

// isApostrophe reports whether a character is written where an apostrophe belongs.
func isApostrophe(r rune) bool {
	switch r {
	case '\'', '`', '´', '‘', '’', '‛', '′', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ˈ', 'ꞌ', '׳':
		return true
	default:
		return false
	}
}

// isSilent reports whether a character changes only how its neighbour looks or is read aloud, or is not seen at all: accents of its own, the vowel
// signs of Arabic and Hebrew, the stroke that draws Arabic words out, joiners, spaces without width, variants, colours of skin, marks of direction.
func isSilent(r rune) bool {
	switch {
	case r < 0x0300:
		return r == 0x00AD
	case r <= 0x06ED:
		return r <= 0x036F || r == 0x0640 || r == 0x061C || r >= 0x0591 && unicode.Is(unicode.Mn, r)
	case r < 0x2000:
		return r == 0x115F || r == 0x1160 || r == 0x180E
	case r <= 0x206F:
		return r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060
	case r < 0xFE00:
		return false
	default:
		return r <= 0xFE0F || r == 0xFEFF || r >= 0xFFF9 && r <= 0xFFFB || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0000 && r <= 0xE01EF
	}
}

// IsUnspaced reports whether a letter belongs to a script that leaves no space between words.
func IsUnspaced(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// foldedLetter returns a letter or digit that is not ASCII without its case and accent, and digits of all scripts as ours. Accents matter in scripts
// other than Latin and Greek, where they make another letter, but for the Russian ё, and for what people of the Arabic script leave out when they type.
func foldedLetter(r rune) (folded rune, more string) {
	if unicode.IsDigit(r) {
		return AsDigit(r), ""
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	r = unicode.ToLower(least)
	if r < utf8.RuneSelf {
		return r, ""
	}
	if folded, more, ok := ofItsOwn(r); ok {
		return folded, more
	}
	if r >= 0x0620 && r <= 0x06D5 {
		return arabicLetter(r), ""
	}
	if !unicode.In(r, unicode.Latin, unicode.Greek) {
		return r, ""
	}
	if d := norm.NFD.PropertiesString(string(r)).Decomposition(); d != nil {
		base, _ := utf8.DecodeRune(d)
		return unicode.ToLower(base), ""
	}
	return r, ""
}

// ofItsOwn returns what is typed for a letter that is none with an accent; false for others.
func ofItsOwn(r rune) (folded rune, more string, ok bool) {
	switch r {
	case 'ß':
		return 's', "s", true
	case 'æ':
		return 'a', "e", true
	case 'œ':
		return 'o', "e", true
	case 'þ':
		return 't', "h", true
	case 'ø':
		return 'o', "", true
	case 'ð', 'đ':
		return 'd', "", true
	case 'ł':
		return 'l', "", true
	case 'ħ':
		return 'h', "", true
	case 'ı':
		return 'i', "", true
	case 'ŋ':
		return 'n', "", true
	case 'ŧ':
		return 't', "", true
	case 'ё':
		return 'е', "", true
	}
	return 0, "", false
}

// arabicLetter returns a letter as people type it who leave out what a hamza sits on, and take the keys of a neighbour's alphabet.
func arabicLetter(r rune) rune {
	switch r {
	case 'أ', 'إ', 'آ', 'ٱ':
		return 'ا'
	case 'ؤ':
		return 'و'
	case 'ئ', 'ى', 'ی':
		return 'ي'
	case 'ة', 'ہ', 'ۀ', 'ۂ', 'ە', 'ۃ', 'ھ':
		return 'ه'
	case 'ک':
		return 'ك'
	default:
		return r
	}
}

// AsDigit returns a digit of any script as it is written in English. Those of a script stand in a row, from zero on.
func AsDigit(r rune) rune {
	if r < utf8.RuneSelf || !unicode.IsDigit(r) {
		return r
	}
	for n := range rune(10) {
		if !unicode.IsDigit(r - n - 1) {
			return '0' + n
		}
	}
	return r // of a row that begins where another ends, which folding has replaced
}

// IsInWord reports whether a character belongs to a word that is no number.
func IsInWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// IsLetterAt reports whether such a character stands at offset i.
func IsLetterAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return IsInWord(r)
}

// EndsInLetter reports whether a text ends in such a character.
func EndsInLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return IsInWord(r)
}
