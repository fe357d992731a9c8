package view

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// How an account stands that is not well, where a word says it.
const (
	Down   = "down"   // nothing runs that could do anything for it
	Unwell = "unwell" // something is wrong; the reason says what
)

// TroubleWord is how accounts stand of which something is not well; "" when nothing is.
func TroubleWord(all []record.Trouble) string {
	if len(all) == 0 {
		return ""
	}
	for i := range all {
		switch all[i].Why.Code() {
		case record.TroubleNone, record.TroubleDied, record.TroubleElsewhere:
			return Down
		default:
		}
	}
	return Unwell
}

// TroubleSaid says what is not well, for people.
func TroubleSaid(t *record.Trouble) string {
	said := t.Says
	if !t.Since.IsZero() {
		said += ", since " + print.TimeText(t.Since)
	}
	if t.Worker != "" {
		said = "worker " + t.Worker + ": " + said
	}
	return print.PlainText(said, 0)
}

// TroubleAdvised says what is not well, and what can be done.
func TroubleAdvised(t *record.Trouble) string {
	return TroubleSaid(t) + print.PrefixText("; ", print.PlainText(t.Do, 0))
}

// TroublesSaid says all of it in a line.
func TroublesSaid(all []record.Trouble) string {
	said := make([]string, len(all))
	for i := range all {
		said[i] = TroubleSaid(&all[i])
	}
	return strings.Join(said, "; ")
}

// statusJSON is how all stands, for machines.
type statusJSON struct {
	Well bool `json:"well"`
	record.Judgement
}

// PrintStatus says how what runs on the database stands. The error is one of status 1, without words, when that is not well.
func PrintStatus(ctx context.Context, d *View, only event.Account) error {
	j, err := d.Judgement(ctx)
	if err != nil {
		return err
	}
	if only != "" {
		of := j.Accounts[only]
		if j.Accounts, j.More = nil, 0; len(of) > 0 {
			j.Accounts = map[event.Account][]record.Trouble{only: of}
		}
	}
	if d.JSON {
		j.Seen = j.Seen.UTC()
		err = print.WriteJSON(d.Out, statusJSON{j.Well(), j})
	} else {
		err = tellStatus(d.Out, d, &j)
	}
	if err == nil && !j.Well() {
		err = &cli.ExitError{Code: cli.ExitFailed}
	}
	return err
}

func tellStatus(w io.Writer, d *View, j *record.Judgement) error {
	if j.Well() {
		return print.SayLine(w, "all is well with %s on %s", print.CountText(len(d.Meant), "account", "accounts"), d.Database)
	}
	t := &print.Table{Head: []string{"ACCOUNT", "SINCE", "WHY", "DO"}}
	add := func(account string, all []record.Trouble) {
		for i := range all {
			x := all[i]
			since := ""
			if !x.Since.IsZero() {
				since = print.TimeText(x.Since)
			}
			x.Since = time.Time{}
			t.Add(print.PlainText(account, 0), since, TroubleSaid(&x), print.PlainText(x.Do, 0))
		}
	}
	add("(all)", j.Process)
	for _, name := range j.Names() {
		add(string(name), j.Accounts[name])
	}
	if j.More > 0 {
		t.Add(fmt.Sprintf("(%d more)", j.More), "", "", "")
	}
	return t.Print(w, "")
}
