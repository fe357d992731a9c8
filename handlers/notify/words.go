package notify

import (
	"strings"
	"unicode"
)

// clean returns a text without what nobody sees: control and formatting characters, which could turn a line round or
// hide a part of it. Lines stay.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\u200d': // the joiner of emojis
			return r
		case r == '\u2028' || r == '\u2029' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085':
			return '\n'
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// oneLine returns what strangers wrote on one line: nobody takes it for a line of ours.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(clean(text), func(r rune) bool { return r == '\n' }), " / ") //mutate:called-one-line
}

// cut returns the beginning of a text: at most n characters.
func cut(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// breakMentions keeps @ from calling anybody: what follows is no name any more.
func breakMentions(text string) string {
	return strings.ReplaceAll(text, "@", "@\u200b") //mutate:called-apart
}

// slackWords returns what strangers wrote as Slack, and what takes the same, shows it: not as a mention, a link with
// another text, or a format.
func slackWords(text string) string {
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "](", "]\u200b(", "`", "'", "*", "∗", "_", "\u200b_", "~", "∼").Replace(text) //mutate:called-slack
	return breakMentions(text)
}

// slackOwn returns words of ours as Slack takes them.
func slackOwn(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// discordWords returns what strangers wrote as Discord shows it, without a mention, Markdown or a link with another text.
func discordWords(text string) string {
	var b strings.Builder
	for _, r := range breakMentions(text) {
		if strings.ContainsRune("\\`*_~|<>#[]()", r) { //mutate:called-discord
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plainWords returns what strangers wrote for services that show texts as they are.
func plainWords(text string) string { return text }

// plainName reports whether a user name may stand in a command: nobody else is called by it.
func plainName(user string) bool {
	if user == "" || strings.ContainsFunc(user, func(r rune) bool {
		return r > unicode.MaxASCII || r != '_' && r != '.' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return false
	}
	switch strings.ToLower(user) {
	case "everyone", "here", "channel", "all", "group", "room", "team":
		return false
	}
	return true
}
