package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// The picture, in its own units: a row for each case, and beside each other a panel for each figure.
const (
	pictureNames = 310 // the width of what stands to the left of the panels
	picturePanel = 250
	pictureBar   = 150 // the longest bar; its value stands behind it
	pictureRow   = 28
	pictureHead  = 64
	pictureFoot  = 34
)

// The colours, by day and by night.
const pictureStyle = `<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .quiet { fill: #57606a }
  .bar { fill: #0969da }
  .spread { stroke: #24292f; stroke-width: 1.5 }
  .ground { stroke: #d0d7de }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .bar { fill: #4493f8 }
    .spread { stroke: #e6edf3 }
    .ground { stroke: #3d444d }
  }
</style>
`

// draw is what was measured as a picture: bars as long as the medians, and lines from the least to the most.
func (m *measured) draw() string {
	var b strings.Builder
	figures := m.shownFigures()
	width, height := pictureNames+len(figures)*picturePanel, pictureHead+len(m.Cases)*pictureRow+pictureFoot
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n%s", width, height, html.EscapeString(m.Question), pictureStyle)
	writeText(&b, "title", 8, 24, m.Question)
	for i, t := range m.Cases {
		writeText(&b, "", 8, rowMiddle(i)+5, t.Name)
	}
	for i, f := range figures {
		m.drawPanel(&b, f, pictureNames+i*picturePanel)
	}
	writeText(&b, "quiet", 8, height-12, fmt.Sprintf("nectar demo, %s, %s", m.Machine, m.Day))
	b.WriteString("</svg>\n")
	return b.String()
}

// drawPanel draws a figure of all cases, from x on.
func (m *measured) drawPanel(b *strings.Builder, f figure, x int) {
	writeText(b, "quiet", x, pictureHead-10, f.title)
	most := 0.0
	for _, t := range m.Cases {
		most = slices.Max(append(t.valuesOf(f.name), most))
	}
	for i, t := range m.Cases {
		all, y := t.valuesOf(f.name), rowMiddle(i)
		if len(all) == 0 {
			writeText(b, "quiet", x+6, y+5, numberText(medianOf(all)))
			continue
		}
		at := func(value float64) float64 { return float64(x) + pictureBar*value/most }
		middle, least, highest := medianOf(all), slices.Min(all), slices.Max(all)
		fmt.Fprintf(b, "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\" rx=\"2\"/>\n", x, y-7, at(middle)-float64(x))
		if least < highest {
			fmt.Fprintf(b, "<line class=\"spread\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", at(least), at(highest), y, y)
		}
		writeText(b, "", int(at(highest))+7, y+5, numberText(middle))
	}
	fmt.Fprintf(b, "<line class=\"ground\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", x, x, pictureHead, pictureHead+len(m.Cases)*pictureRow)
}

// rowMiddle is how far down the middle of a row is.
func rowMiddle(i int) int { return pictureHead + i*pictureRow + pictureRow/2 }

func writeText(b *strings.Builder, class string, x, y int, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(b, "<text%s x=\"%d\" y=\"%d\">%s</text>\n", class, x, y, html.EscapeString(text))
}
