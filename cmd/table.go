package cmd

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// table is what a list looks like to people: columns, as wide as what is in them.
type table struct {
	head []string
	rows [][]string
}

// wide returns how many columns of a terminal a text takes, whatever language the terminal speaks.
func wide(text string) int { return (&runewidth.Condition{}).StringWidth(text) }

// add adds a row, a text for each column, as it is fit for eyes.
func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = plain(cells[i], 0)
	}
	t.rows = append(t.rows, cells)
}

// drop takes a column out.
func (t *table) drop(name string) {
	i := slices.Index(t.head, name)
	t.head = slices.Delete(t.head, i, i+1)
	for n, row := range t.rows {
		t.rows[n] = slices.Delete(row, i, i+1)
	}
}

// squeeze takes out those of the named columns in which nothing stands.
func (t *table) squeeze(names ...string) {
	for _, name := range names {
		i := slices.Index(t.head, name)
		if !slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) {
			t.drop(name)
		}
	}
}

// print writes the table; the last column is as long as it is. Without rows it says none.
func (t *table) print(w io.Writer, none string) error {
	if len(t.rows) == 0 {
		_, err := fmt.Fprintln(w, none)
		return err
	}
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], wide(cell))
		}
	}
	colours := isTerminal(w)
	var b strings.Builder
	line := func(row []string, paint func(string) string) {
		gap := 0
		for i, cell := range row {
			if cell != "" {
				b.WriteString(strings.Repeat(" ", gap) + paint(cell))
				gap = 0
			}
			gap += width[i] - wide(cell) + 2
		}
		b.WriteByte('\n')
	}
	line(t.head, func(s string) string { return coloured(s, "2", colours) })
	for _, row := range t.rows {
		line(row, func(s string) string { return coloured(s, alarming[s], colours) })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// alarming are the states that stand out in a list, with their colours.
var alarming = map[string]string{"quarantined": "31", "held": "31", "unsure": "33"}

func coloured(text, colour string, on bool) string {
	if !on || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// isTerminal tells whether a person reads what is written, and wants colours.
func isTerminal(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && isDevice(w) }

// isDevice tells whether a stream is a terminal, or another device.
func isDevice(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// when is a time as people read it, here.
func when(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// who names a person, or the account when it is nobody.
func who(user string, id int64) string {
	switch {
	case user == "" && id == 0:
		return ownName
	case user == "":
		return strconv.FormatInt(id, 10)
	}
	return "@" + plain(user, 32)
}
