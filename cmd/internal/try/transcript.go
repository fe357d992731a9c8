package try

import "github.com/nectar-bot/nectar/cmd/internal/print"

// transcript is what came of what was typed, for people and for machines.
type transcript struct {
	out    []Line
	scenes []any
	Failed bool // something that was asked for could not be done
	done   bool
}

// TakeLines returns the lines that nobody has taken yet.
func (t *transcript) TakeLines() []Line {
	out := t.out
	t.out = nil
	return out
}

// addLine puts a line into the transcript.
func (t *transcript) addLine(k tryKind, said string) {
	t.out = append(t.out, Line{kind: k, text: print.LegibleText(said)})
}

// tellFiles says what came of reading the files.
func (t *transcript) tellFiles(f *Files) {
	for _, l := range f.toldLines() {
		t.addLine(l.kind, l.text)
	}
}

// fail says what could not be done.
func (t *transcript) fail(err error) {
	t.Failed = true
	t.addLine(tryTrouble, err.Error())
}

func (t *transcript) playedLines() []any {
	all := t.scenes
	t.scenes = nil
	return all
}

func (t *transcript) isEnded() bool { return t.done }

func (t *transcript) isTroubled() bool { return t.Failed }

func (t *transcript) doQuit(string) error {
	t.done = true
	return nil
}
