package main

import (
	"fmt"
	"strings"
)

// renderTable returns what was measured as a table of Markdown. In short it has some of the cases, and their medians alone.
func (m *measured) renderTable(short bool) string {
	var b strings.Builder
	figures := m.shownFigures()
	b.WriteString("| |")
	for _, f := range figures {
		fmt.Fprintf(&b, " %s |", f.title)
	}
	fmt.Fprintf(&b, " `nectar demo --json …` |\n|---|%s---|\n", strings.Repeat("---:|", len(figures)))
	for _, t := range m.Cases {
		if short && !t.Short {
			continue
		}
		fmt.Fprintf(&b, "| %s |", t.Name)
		for _, f := range figures {
			text := spreadText(t.valuesOf(f.name))
			if short {
				text = numberText(medianOf(t.valuesOf(f.name)))
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		fmt.Fprintf(&b, " `%s` |\n", t.Flags)
	}
	if !short && len(m.Cases) > 0 {
		fmt.Fprintf(&b, "\nMeasured on %s (%s): medians; runs of each: %d.\n", m.Day, m.Machine, len(m.Cases[0].Runs))
	}
	return b.String()
}
