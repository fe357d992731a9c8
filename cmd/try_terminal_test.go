package cmd

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/cmd/internal/try"
)

// chatIn returns the chat as a terminal shows it.
func chatIn(t *testing.T, width, height int) (m *try.Model, dir string) {
	t.Helper()
	s, dir := tryIn(t)
	m = try.NewModel(s)
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return m, dir
}

// press presses keys: what has a name is that key, everything else is typed.
func press(m *try.Model, keys ...string) (last tea.Cmd) {
	named := map[string]tea.KeyPressMsg{
		"enter": {Code: tea.KeyEnter}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
		"right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace},
		"delete": {Code: tea.KeyDelete}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "tab": {Code: tea.KeyTab},
		"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
		"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
	}
	for _, ctrl := range "cdwuk" {
		named["ctrl+"+string(ctrl)] = tea.KeyPressMsg{Code: ctrl, Mod: tea.ModCtrl}
	}
	for _, key := range keys {
		if k, ok := named[key]; ok {
			_, last = m.Update(k)
			continue
		}
		for _, ch := range key {
			_, last = m.Update(tea.KeyPressMsg{Code: ch, Text: string(ch)})
		}
	}
	return last
}

// screen returns the rows of the window, without colours and without space at their ends.
func screen(m *try.Model) []string {
	rows := strings.Split(ansi.Strip(m.View().Content), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	return rows
}

func TestChatInATerminal(t *testing.T) {
	t.Parallel()
	m, _ := chatIn(t, 60, 9)
	press(m, "when do you open?", "enter", "/as @rui", "enter", "a booking", "enter", "and")
	want := []string{
		"           · You are @guest. Write to the bot; /help lists",
		"             what else there is.",
		"Tue 10:00  @guest: when do you open?",
		"Tue 10:00  bot: Hi Guest! We are open Mon-Fri 9:00-18:00.",
		"             [after 6s]",
	}
	tail := []string{
		"           · label asked-hours",
		"Tue 10:00  @rui: a booking",
		"Tue 10:00  bot: For how many people?",
		"           · booking is at ask-people",
		" @rui · Tue 2 June 10:00 · booking/ask-people · as if live",
		"> and",
	}
	got := screen(m)
	if len(got) != 9 {
		t.Errorf("%d rows, want 9", len(got))
	}
	if diff := cmp.Diff(tail, got[len(got)-len(tail):]); diff != "" {
		t.Error(diff)
	}
	if c := m.View().Cursor; c == nil || c.X != 5 || c.Y != 8 {
		t.Errorf("the cursor is at %+v", c)
	}
	press(m, "ctrl+home")
	if diff := cmp.Diff(want, screen(m)[:5]); diff != "" {
		t.Error(diff)
	}
	if got := screen(m)[7]; !strings.HasPrefix(got, " ↓ more below") {
		t.Errorf("the status is %q", got)
	}
	press(m, "ctrl+end")
	if diff := cmp.Diff(got, screen(m)); diff != "" {
		t.Error(diff)
	}
}

func TestChatFitsAnyWindow(t *testing.T) {
	t.Parallel()
	m, _ := chatIn(t, 80, 24)
	press(m, "/trace", "enter", "when do you open 日本 👩‍👧, "+strings.Repeat("long", 40), "enter")
	for _, size := range []tea.WindowSizeMsg{{Width: 200, Height: 50}, {Width: 40, Height: 10}, {Width: 12, Height: 3}, {Width: 1, Height: 1}, {}} {
		m.Update(size)
		press(m, "日本 something long to type")
		got := screen(m)
		if size.Height >= 3 && len(got) != size.Height {
			t.Errorf("%d rows in %+v", len(got), size)
		}
		for _, row := range got {
			if size.Width >= 40 && ansi.StringWidth(row) > size.Width {
				t.Errorf("%q is wider than %+v", row, size)
			}
		}
		press(m, "ctrl+u")
	}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := strings.Join(screen(m), "\n"); !strings.Contains(got, "answers: any_phrase \"when do you\n") {
		t.Errorf("it is not as it was:\n%s", got)
	}
}

func TestChatEnds(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"ctrl+c"}, {"half a li", "ctrl+d"}, {"/quit", "enter"}} {
		m, _ := chatIn(t, 80, 24)
		cmd := press(m, keys...)
		if cmd == nil {
			t.Errorf("%q does not end it", keys)
			continue
		}
		if _, quit := cmd().(tea.QuitMsg); !quit {
			t.Errorf("%q does not end it", keys)
		}
	}
}

func TestChatLooksAtTheFilesWhileNobodyTypes(t *testing.T) {
	t.Parallel()
	m, dir := chatIn(t, 80, 24)
	if m.Init() == nil {
		t.Error("it never looks")
	}
	rewrite(t, dir+"/20-booking.yaml", "name: Bookings", "nane: Bookings")
	m.Update(tea.PasteMsg{Content: "two\nlines"})
	if _, again := m.Update(try.TickMsg{}); again == nil {
		t.Error("it looks once")
	}
	got := strings.Join(screen(m), "\n")
	for _, want := range []string{`there is no "nane" here. Did you mean "name"?`, "the files have problems", "> two lines"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}

func TestTypingALine(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys  []string
		line  string
		shown string // with the cursor as |
	}{
		"in the middle":      {[]string{"hllo", "home", "right", "e", "end", "!"}, "hello!", "hello!|"},
		"words":              {[]string{"one two  three", "ctrl+left", "ctrl+left", "ctrl+w", "ctrl+right", "x"}, "twox  three", "twox|  three"},
		"taken away":         {[]string{"abcdef", "left", "left", "backspace", "delete", "ctrl+k"}, "abc", "abc|"},
		"nothing to take":    {[]string{"backspace", "delete", "left", "right", "ctrl+w", "up", "down"}, "", "|"},
		"other keys":         {[]string{"a", "tab", "pgup", "b"}, "ab", "ab|"},
		"begun anew":         {[]string{"nonsense", "ctrl+u", "/like"}, "/like", "/like|"},
		"typed before":       {[]string{"one", "enter", "two", "enter", "two", "enter", "thr", "up", "up"}, "one", "one|"},
		"back to the new":    {[]string{"one", "enter", "thr", "up", "up", "up", "down", "down", "ee"}, "three", "three|"},
		"changed and kept":   {[]string{"one", "enter", "up", "s", "enter", "up", "up"}, "one", "one|"},
		"wider than it fits": {[]string{"0123456789abcdefghijklmnop日本"}, "0123456789abcdefghijklmnop日本", "bcdefghijklmnop日本|"},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			m, _ := chatIn(t, 22, 10)
			press(m, tc.keys...)
			if got := m.Input.Value(); got != tc.line {
				t.Errorf("the line is %q", got)
			}
			shown, at := m.Input.VisiblePart(20)
			cut := ansi.Truncate(shown, at, "")
			if got := cut + "|" + strings.TrimPrefix(shown, cut); got != tc.shown {
				t.Errorf("shown is %q", got)
			}
		})
	}
}
