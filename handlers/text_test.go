package handlers_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/bottest"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers"
)

func TestTextConditions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		condition bot.Condition
		yes, no   []string
	}{
		"text": {
			handlers.Says("hi", "Good morning", "?", "👍"),
			[]string{"hi", " HI!", "¡Hi!", "good  morning", "?", " ? ", "👍🏽", "hí"},
			[]string{"", "hi there", "good", "!", "??", "goodmorning", "h i"},
		},
		"words": {
			handlers.SaysWords("menu", "opening hours", "café"),
			[]string{"the menu, please", "MENU?", "what are the hours of opening", "cafe", "Un café!"},
			[]string{"menus", "opening", "hours", "cafeteria", ""},
		},
		"phrase": {
			handlers.SaysPhrase("good morning", "menu", "菜单", "don't stop"),
			[]string{"A good morning to you", "menu", "请给我菜单", "don’t stop!", "Good, morning"},
			[]string{"morning good", "good old morning", "good", "菜 and 单", ""},
		},
		"pattern": {
			handlers.Fits(regexp.MustCompile(`^order (\d+)$`)),
			[]string{"order 12"},
			[]string{"Order 12", "order 12 please"},
		},
		"nothing": {handlers.Says(), nil, []string{"", "hi"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range c.yes {
				if !holds(t, c.condition, text) {
					t.Errorf("%q does not match", text)
				}
			}
			for _, text := range c.no {
				if holds(t, c.condition, text) {
					t.Errorf("%q matches", text)
				}
			}
		})
	}
}

func TestEntriesWithoutWordsPanic(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(){
		`handlers.Words: "?!" holds no word`: func() { handlers.Words("menu", "?!") },
		`handlers.Phrase: "" holds no word`:  func() { handlers.Phrase("") },
	} {
		func() {
			defer func() {
				if p := recover(); p != name {
					t.Errorf("it panicked with %v, want %s", p, name)
				}
			}()
			make()
		}()
	}
}

func TestMatchers(t *testing.T) {
	t.Parallel()
	bottest.Run(t, bottest.Config{Routes: []bot.Route{
		handlers.On("text", handlers.Text("hi"), handlers.Reply("text")),
		handlers.On("words", handlers.Words("menu", "opening hours"), handlers.Reply("words")),
		handlers.On("phrase", handlers.Phrase("good morning"), handlers.Reply("phrase")),
		bot.On("pattern", handlers.Pattern(regexp.MustCompile(`(?i)^order (\d+)(?: for (?P<who>\w+))?`)), order),
		bot.On("command", handlers.Command("Start", "begin"), start),
		handlers.On("mention", handlers.Mention("menu"), handlers.Reply("mentioned")),
		handlers.On("any-mention", handlers.Mention(), handlers.LikeIt()).Ordered(1),
		handlers.On("kinds", handlers.Kinds(event.KindLike, event.KindRepost), handlers.Say("thank you")),
	}}, func(w *bottest.World) {
		ana, menu := w.Person("ana"), w.Posts("spring menu")
		ana.Says("Hi!", "the menu?", "a good morning to you", "Order 12", "order 7 for Leo", "/START now, please", " /begin", "/begun", "/", "hello")
		ana.Expects("text", "words", "phrase", "12 of [Order 12 12 ]", "7 of [order 7 for Leo 7 Leo] for Leo",
			"Start with now, please: now, please", "begin with :")
		ana.Mentions("your Menu is great")
		ana.ExpectsReply("mentioned")
		ana.Mentions("look")
		ana.ExpectsLike()
		ana.Likes(menu)
		ana.Expects("thank you")
		ana.Reposts(menu)
		ana.Expects("thank you")
		ana.ExpectsNothing(0)
	})
}

// Ten thousand entries cost no more than a few.
func BenchmarkWords(b *testing.B) {
	for name, n := range map[string]int{"10": 10, "10000": 10_000} {
		entries := make([]string, n)
		for i := range entries {
			entries[i] = "word" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + string(rune('a'+i/26%26))
		}
		c := handlers.SaysWords(entries...)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				turn := message("Hello! Could you tell me when the café opens on Saturday, please?")
				if c(b.Context(), turn) {
					b.Fatal("it matches")
				}
			}
		})
	}
}
