package conversation

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Mermaid returns the flow as a Mermaid state diagram, the same text for the same definition.
func (f *Flow[T, D]) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: %s\n---\nstateDiagram-v2\n", f.name)
	ids := f.diagramIDs()
	for _, s := range f.states {
		if ids[s.Name] != s.Name {
			fmt.Fprintf(&b, "    state %q as %s\n", s.Name, ids[s.Name])
		}
	}
	fmt.Fprintf(&b, "    [*] --> %s\n", ids[f.start])
	for i := range f.ordered {
		tr := &f.ordered[i]
		fmt.Fprintf(&b, "    %s --> %s : %s\n", ids[tr.From], ids[tr.To], f.label(tr))
	}
	for _, s := range f.states {
		if s.Final {
			fmt.Fprintf(&b, "    %s --> [*]\n", ids[s.Name])
		}
	}
	return b.String()
}

func (f *Flow[T, D]) label(tr *Transition[T, D]) string {
	text := string(tr.On)
	if s := f.byName[tr.From]; s.timeoutSignal() == tr.On {
		text += " after " + short(s.Timeout)
	}
	if tr.Guard != nil {
		text += " [guarded]"
	}
	return text
}

// diagramIDs gives each state an id that a diagram can hold: letters, digits and "_", none of its keywords.
func (f *Flow[T, D]) diagramIDs() map[string]string {
	keywords := []string{"as", "class", "classDef", "click", "default", "direction", "end", "hide", "note", "scale", "state", "style"}
	ids, taken := map[string]string{}, map[string]bool{}
	for _, s := range f.states {
		id := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '_'
		}, s.Name)
		for taken[id] || slices.ContainsFunc(keywords, func(k string) bool { return strings.EqualFold(k, id) }) {
			id += "_"
		}
		ids[s.Name], taken[id] = id, true
	}
	return ids
}

// short prints a duration without its zeros: 3h, 1h30m.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
