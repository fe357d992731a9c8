package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
)

// Email finds the first e-mail address in a text and returns it as it is written, its domain in small
// letters. It wants a domain with a point in it and does not know quoted names.
func Email(text string) (string, bool) {
	text = decoded(text)
	for at := 0; at < len(text); at++ {
		if text[at] != '@' {
			continue
		}
		name := lastPart(text[:at], func(r rune) bool { return inAddress(r) || strings.ContainsRune("._%+-'", r) })
		domain := firstPart(text[at+1:], func(r rune) bool { return inAddress(r) || r == '.' || r == '-' })
		name, domain = strings.TrimLeft(name, ".'-"), strings.TrimRight(domain, ".-")
		if validName(name) && validDomain(domain) {
			return name + "@" + strings.ToLower(domain), true
		}
	}
	return "", false
}

func inAddress(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func lastPart(s string, in func(r rune) bool) string {
	from := len(s)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if !in(r) {
			break
		}
		from -= size
	}
	return s[from:]
}

func firstPart(s string, in func(r rune) bool) string {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return s[:end]
	}
	return s
}

func validName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.HasSuffix(name, ".") && !strings.Contains(name, "..")
}

func validDomain(domain string) bool {
	labels := strings.Split(domain, ".")
	if len(domain) > 253 || len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Contains(label, "_") {
			return false
		}
	}
	last := labels[len(labels)-1]
	return utf8.RuneCountInString(last) >= 2 && !strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
}

// Phone finds the first phone number in a text and returns it as +351912345678. Without + or 00 before it
// a number belongs to the region, a country code such as "PT"; with "" as the region it is returned as
// its digits when there are 7 to 15. Dates and prices are no phone numbers, nor is anything that no number
// of that country may be by its length.
func Phone(text, region string) (string, bool) {
	text = decoded(text)
	for from := 0; from < len(text); {
		i := strings.IndexAny(text[from:], "+(0123456789")
		if i < 0 {
			return "", false
		}
		from += i
		raw := firstPart(text[from:], func(r rune) bool {
			return '0' <= r && r <= '9' || unicode.IsSpace(r) || strings.ContainsRune("+-–./()", r)
		})
		glued := lastPart(text[:from], inAddress) != "" || firstPart(text[from+len(raw):], inAddress) != ""
		if !glued && !price(text[:from], raw, text[from+len(raw):]) && !dateLike(raw) {
			if number, ok := phone(raw, region); ok {
				return number, true
			}
		}
		from += max(len(raw), 1)
	}
	return "", false
}

func phone(raw, region string) (string, bool) {
	digits := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, raw)
	international := strings.HasPrefix(strings.TrimLeft(raw, "( "), "+")
	if !international && strings.HasPrefix(digits, "00") {
		international, digits = true, digits[2:]
	}
	if len(digits) < 7 || len(digits) > 15 {
		return "", false
	}
	if international {
		digits, region = "+"+strings.Replace(digits, "(0)", "", 1), "ZZ"
		if strings.Contains(raw, "(0)") {
			digits = "+" + strings.Map(onlyDigits, strings.Replace(raw, "(0)", "", 1))
		}
	} else if region == "" {
		return digits, true
	}
	n, err := phonenumbers.Parse(digits, strings.ToUpper(region))
	if err != nil || phonenumbers.IsPossibleNumberWithReason(n) != phonenumbers.IS_POSSIBLE {
		return "", false
	}
	return phonenumbers.Format(n, phonenumbers.E164), true
}

func onlyDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r
	}
	return -1
}

// price tells whether a currency stands beside a number.
func price(before, raw, after string) bool {
	const signs = "€$£¥%"
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if r, _ := utf8.DecodeLastRuneInString(before); strings.ContainsRune(signs, r) {
		return true
	}
	if r, _ := utf8.DecodeRuneInString(after); r != utf8.RuneError && strings.ContainsRune(signs+",", r) && (r != ',' || decimals(after[1:])) {
		return true
	}
	word := strings.ToLower(firstPart(after, unicode.IsLetter))
	return strings.TrimSpace(raw) != "" && slices.Contains([]string{"eur", "euro", "euros", "usd", "dollars", "dolares", "reais", "brl", "chf"}, word)
}

func decimals(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

// dateLike tells whether a number is written like a date: three groups of it, one with the year.
func dateLike(raw string) bool {
	raw = strings.TrimSpace(raw)
	groups := strings.FieldsFunc(raw, func(r rune) bool { return strings.ContainsRune("./-–", r) })
	if len(groups) < 3 || strings.HasPrefix(raw, "+") {
		return false
	}
	size := func(i int) int {
		return len(strings.TrimSpace(firstPart(groups[i], func(r rune) bool { return r != ' ' })))
	}
	return size(0) <= 2 && size(1) <= 2 && size(2) == 4 || size(0) == 4 && size(1) <= 2 && size(2) <= 2
}
