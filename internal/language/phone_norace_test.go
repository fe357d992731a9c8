//go:build !race

package language_test

import (
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/internal/language"
)

// With the race detector nothing of this is told: it is one goroutine, for half a minute.

// A number with words around it is the same number as alone.
func TestPhoneBetweenWords(t *testing.T) {
	for _, form := range phoneForms {
		if _, ok := language.FindPhone(form, ""); !ok {
			t.Errorf("%q is no number", form)
		}
	}
	n := 0
	for _, l := range language.AllLanguages() {
		failed := 0
		for _, before := range append(phoneBefore[l], "") {
			for _, form := range phoneForms {
				want, _ := language.FindPhone(form, "")
				for _, after := range append(phoneAfter[l], "") {
					if n++; !effort.Sampled(n) {
						continue
					}
					if got, ok := language.FindPhone(before+form+after, ""); got != want {
						if failed++; failed <= 20 {
							t.Errorf("%s: %q has the number %q, %t, want %q", l, before+form+after, got, ok, want)
						}
					}
				}
			}
		}
		if failed > 0 {
			t.Errorf("%s: %d texts in all", l, failed)
		}
	}
}
