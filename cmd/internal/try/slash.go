package try

import (
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// slash is something that can be typed after a slash, to an S.
type slash[S any] struct {
	name, arg, about string
	run              func(s S, arg string) error
}

// runSlash runs what was typed, which begins with a slash. Where there is nothing of the name, otherwise says what else is to be known.
func runSlash[S any](s S, all []slash[S], typed, otherwise string) error {
	name, arg, _ := strings.Cut(typed[1:], " ")
	names := make([]string, len(all))
	for i, c := range all {
		if c.name == strings.ToLower(name) {
			return c.run(s, strings.TrimSpace(arg))
		}
		names[i] = c.name
	}
	if near := textfile.NearestWord(name, names); near != "" {
		return fmt.Errorf("there is no /%s. Did you mean /%s?", print.PlainText(name, 32), near)
	}
	return fmt.Errorf("there is no /%s; /help lists what there is%s", print.PlainText(name, 32), otherwise)
}

// shownText is a command as /help lists it.
func (s *slash[S]) shownText() string {
	return fmt.Sprintf("%-18s  %s", strings.TrimSpace("/"+s.name+" "+s.arg), s.about)
}
