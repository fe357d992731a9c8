package rules_test

import (
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
)

// A folder of several languages answers in the one that the person writes; what tells no language belongs to the one before.
func TestWrites(t *testing.T) {
	t.Parallel()
	answer := func(code, says string) string {
		return rule("in-"+strings.Trim(strings.ReplaceAll(strings.ToLower(code), ", ", "-"), "[]"), "    when: [message, follow]\n    if: { sender: { writes: "+code+" } }\n    then:\n      - message: "+says+"\n    limits: { per_person: 9 per 1h }\n")
	}
	s := play(t, "language: de\nrules:\n"+answer("es", "Hola")+answer("EN", "Hello")+answer("pt", "Ola")+answer("fr", "Salut")+answer("de", "Hallo")+
		answer("[ar, he]", "from right to left")+answer("ko", "korean")+answer("uk", "ukrainian")+answer("ja", "japanese"))
	for _, row := range [][2]string{
		{"14:00", "Hallo"}, // nothing tells: as the file does
		{"¿qué precio tiene?", "Hola"},
		{"ok", "Hola"},
		{"14:00 👍", "Hola"},
		{"hola, qué precio tiene la habitación", "Hola"},
		{"how much is it?", "Hello"},
		{"whats the price", "Hello"},
		{"Olá, quanto custa?", "Ola"},
		{"vocês abrem amanhã", "Ola"},
		{"bonjour, vous ouvrez quand ?", "Salut"},
		{"cest combien", "Salut"},
		{"Was kostet das?", "Hallo"},
		{"wann habt ihr offen", "Hallo"},
		{"كم السعر", "from right to left"},
		{"מה המחיר", "from right to left"},
		{"가격이 얼마예요", "korean"},
		{"скільки це коштує?", "ukrainian"},
		{"いくらですか iPhone 15 Pro Max", "japanese"},
		{"menu", "japanese"},
		{"the price of a Brötchen?", "Hello"},
	} {
		s.says(row[0], "message "+row[1])
	}
	s.does(event.KindFollow, "", "message Hello")
	s.who = "leo"
	s.does(event.KindFollow, "", "message Hallo")
}

// Entries that a list has as one, with the commas of another script between them, are words one by one.
func TestOtherCommas(t *testing.T) {
	t.Parallel()
	s := play(t, "rules:\n"+
		rule("ar", "    when: message\n    if: { text: { any_word: [سعر، تكلفة،ثمن] } }\n    then:\n      - reply: price\n    limits: { per_person: 9 per 1h }\n")+
		rule("ja", "    when: message\n    if: { text: { any_word: 値段、料金, none_word: [返金、苦情] } }\n    then:\n      - reply: yen\n    limits: { per_person: 9 per 1h }\n"))
	s.says("ما السعر", "message price")
	s.says("التكلفة؟", "message price")
	s.says("ثمن", "message price")
	s.says("料金は?", "message yen")
	s.says("値段は?", "message yen")
	s.says("料金の苦情", "unmatched")
}
