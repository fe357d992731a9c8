package try

import "github.com/nectar-bot/nectar/cmd/internal/print"

// transcript is what came of what was typed, for people and for machines.
type transcript struct {
	out    []Line
	scenes []any
	Failed bool // something that was asked for could not be done
	done   bool
}

// Take returns the lines that nobody has taken yet.
func (t *transcript) Take() []Line {
	out := t.out
	t.out = nil
	return out
}

// tell puts a line into the transcript.
func (t *transcript) tell(k tryKind, said string) {
	t.out = append(t.out, Line{kind: k, text: print.Legible(said)})
}

// tellFiles says what came of reading the files.
func (t *transcript) tellFiles(f *Files) {
	for _, l := range f.told() {
		t.tell(l.kind, l.text)
	}
}

// fail says what could not be done.
func (t *transcript) fail(err error) {
	t.Failed = true
	t.tell(tryTrouble, err.Error())
}

func (t *transcript) played() []any {
	all := t.scenes
	t.scenes = nil
	return all
}

func (t *transcript) ended() bool { return t.done }

func (t *transcript) troubled() bool { return t.Failed }

func (t *transcript) doQuit(string) error {
	t.done = true
	return nil
}
