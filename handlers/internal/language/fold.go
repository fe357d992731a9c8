package language

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// decoded returns a text with its HTML entities as the characters they stand for: the platform keeps
// texts the way a page holds them.
func decoded(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return html.UnescapeString(text)
}

// composed returns a text in which every letter with an accent is one character.
func composed(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return norm.NFC.String(text)
		}
	}
	return text
}

// silent reports whether a character changes only how its neighbour looks: accents of its own, joiners,
// variants, colours of skin, marks of direction.
func silent(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036F, r >= 0xFE00 && r <= 0xFE0F, r >= 0x1F3FB && r <= 0x1F3FF:
		return true
	case r >= 0x200C && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2064:
		return true
	default:
		return r == 0x00AD || r == 0xFEFF
	}
}

// unspaced reports whether a letter belongs to a script that leaves no space between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// plain returns the ordinary characters for one of those that only dress them up: full and half width,
// the alphabets meant for formulas, which people use for bold and italics, and circled letters.
func plain(r rune) (string, bool) {
	switch {
	case r < 0x2460, r > 0x24E9 && r < 0xFF01, r > 0xFFEE && r < 0x1D400, r > 0x1D7FF:
		return "", false
	}
	s := norm.NFKC.String(string(r))
	return s, s != string(r)
}

// foldedLetter returns a letter or digit that is not ASCII without its case and accent. Accents matter
// in scripts other than Latin and Greek, where they make another letter, but for the Russian ё.
func foldedLetter(r rune) (folded rune, more string) {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	r = unicode.ToLower(least)
	if r < utf8.RuneSelf {
		return r, ""
	}
	switch r {
	case 'ß':
		return 's', "s"
	case 'æ':
		return 'a', "e"
	case 'œ':
		return 'o', "e"
	case 'þ':
		return 't', "h"
	case 'ĳ':
		return 'i', "j"
	case 'ø':
		return 'o', ""
	case 'ð', 'đ':
		return 'd', ""
	case 'ł':
		return 'l', ""
	case 'ħ':
		return 'h', ""
	case 'ı':
		return 'i', ""
	case 'ŋ':
		return 'n', ""
	case 'ŧ':
		return 't', ""
	case 'ё':
		return 'е', ""
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
