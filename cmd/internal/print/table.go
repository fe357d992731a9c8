package print

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

// Table is what a list looks like to people: columns, as wide as what is in them. Or other programs read the list: see NewTable.
type Table struct {
	Head []string
	Rows [][]string

	lines io.Writer // where other programs read it; nil: people do
	err   error
}

// NewTable makes a table that a command lists something in: for people or, as JSON, for other programs, a line for each row.
func NewTable(out io.Writer, asJSON bool, head ...string) *Table {
	t := &Table{Head: head}
	if asJSON {
		t.lines = out
	}
	return t
}

// AddRow adds a row: the value that programs read, and the cells that people read.
func (t *Table) AddRow(x any, cells ...string) {
	switch {
	case t.lines == nil:
		t.Add(cells...)
	case t.err == nil:
		t.err = WriteLine(t.lines, x)
	}
}

// TextWidth returns how many columns of a terminal a text takes, independent of the terminal's language.
func TextWidth(text string) int { return (&runewidth.Condition{}).StringWidth(text) }

// Add adds a row, a text for each column, as it is fit for eyes.
func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = PlainText(cells[i], 0)
	}
	t.Rows = append(t.Rows, cells)
}

// DropColumn takes a column out.
func (t *Table) DropColumn(name string) {
	i := slices.Index(t.Head, name)
	t.Head = slices.Delete(t.Head, i, i+1)
	for n, row := range t.Rows {
		t.Rows[n] = slices.Delete(row, i, i+1)
	}
}

// DropEmpty takes out those of the named columns in which nothing stands.
func (t *Table) DropEmpty(names ...string) {
	for _, name := range names {
		i := slices.Index(t.Head, name)
		if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }) {
			t.DropColumn(name)
		}
	}
}

// Print writes the table; the last column is as long as it is. Without rows it says none. For other programs all is written already.
func (t *Table) Print(w io.Writer, none string) error {
	if t.lines != nil {
		return t.err
	}
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(w, none)
		return err
	}
	width := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			width[i] = max(width[i], TextWidth(cell))
		}
	}
	colours := IsTerminal(w)
	var b strings.Builder
	line := func(row []string, paint func(string) string) {
		gap := 0
		for i, cell := range row {
			if cell != "" {
				b.WriteString(strings.Repeat(" ", gap) + paint(cell))
				gap = 0
			}
			gap += width[i] - TextWidth(cell) + 2
		}
		b.WriteByte('\n')
	}
	line(t.Head, func(s string) string { return ColourText(s, "2", colours) })
	for _, row := range t.Rows {
		line(row, func(s string) string { return ColourText(s, Alarming[s], colours) })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Alarming are the states that stand out in a list, with their colours.
var Alarming = map[string]string{"quarantined": "31", "held": "31", "in_doubt": "33"}

// IsTerminal reports whether a person reads what is written, and wants colours.
func IsTerminal(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && IsDevice(w) }

// IsDevice reports whether a stream is a terminal, or another device.
func IsDevice(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// TimeText is a time as people read it, here.
func TimeText(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// PersonName names a person, or the account when it is nobody.
func PersonName(user string, id int64) string {
	switch {
	case user == "" && id == 0:
		return OwnName
	case user == "":
		return strconv.FormatInt(id, 10)
	}
	return "@" + PlainText(user, 32)
}
