package handlers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
)

// Text matches private messages that are one of these texts, as a whole: Text("hi") matches "Hi!", and
// not "hi there". A text without any word, such as "?", is compared as it is.
func Text(texts ...string) bot.Matcher[event.Message] { return bot.AnyMessage().If(Says(texts...)) }

// Words matches private messages in which one of the entries occurs. Of an entry with several words all
// must occur, wherever they stand: Words("opening hours") matches "the hours of opening". Only whole
// words count. An entry without any word is a mistake in the program: it panics.
func Words(entries ...string) bot.Matcher[event.Message] {
	return bot.AnyMessage().If(SaysWords(entries...))
}

// Phrase matches private messages in which one of the phrases occurs: its words, in a row. A phrase
// without any word is a mistake in the program: it panics.
func Phrase(phrases ...string) bot.Matcher[event.Message] {
	return bot.AnyMessage().If(SaysPhrase(phrases...))
}

// Mention matches posts that mention the account and say one of these phrases; any, when there are none.
func Mention(phrases ...string) bot.Matcher[event.Mention] {
	if len(phrases) == 0 {
		return bot.AnyMention()
	}
	return bot.AnyMention().If(SaysPhrase(phrases...))
}

// Kinds matches events of these kinds.
func Kinds(kinds ...event.Kind) bot.Matcher[event.Event] {
	return bot.NewMatcher(func(_ context.Context, t *bot.Turn) (event.Event, bool) { return t.Event, true }, kinds...)
}

// Says is Text for all that is said.
func Says(texts ...string) bot.Condition {
	index := map[string]bool{}
	for _, text := range texts {
		index[whole(bot.Words(text), text)] = true
	}
	return func(_ context.Context, t *bot.Turn) bool { return index[whole(t.Words(), t.Text())] }
}

// whole returns what texts are compared by that are the same.
func whole(words []string, text string) string {
	if len(words) == 0 {
		return "\n" + strings.TrimSpace(text) // never the words of another one
	}
	return strings.Join(words, " ")
}

// SaysWords is Words for all that is said.
func SaysWords(entries ...string) bot.Condition {
	index := indexOf("handlers.Words", entries)
	return func(_ context.Context, t *bot.Turn) bool {
		words := t.Words()
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(index[w], func(entry []string) bool { return holds(words, entry) })
		})
	}
}

// SaysPhrase is Phrase for all that is said.
func SaysPhrase(phrases ...string) bot.Condition {
	index := indexOf("handlers.Phrase", phrases)
	return func(_ context.Context, t *bot.Turn) bool {
		words := t.Words()
		for i, w := range words {
			for _, phrase := range index[w] {
				if len(words)-i >= len(phrase) && slices.Equal(words[i:i+len(phrase)], phrase) {
					return true
				}
			}
		}
		return false
	}
}

// indexOf lists entries by their first word, so that a text is compared with few of them.
func indexOf(caller string, entries []string) map[string][][]string {
	index := map[string][][]string{}
	for _, entry := range entries {
		words := bot.Words(entry)
		if len(words) == 0 {
			panic(fmt.Sprintf("%s: %q holds no word", caller, entry))
		}
		index[words[0]] = append(index[words[0]], words)
	}
	return index
}

// holds reports whether all words of an entry are among words.
func holds(words, entry []string) bool {
	for _, w := range entry {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}
