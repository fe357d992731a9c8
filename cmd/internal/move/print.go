package move

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
)

// MovedJSON is what was moved, for machines.
type MovedJSON struct {
	To      string          `json:"to"`
	Store   string          `json:"store"` // what NECTAR_STORE is to be, without a password
	DryRun  bool            `json:"dry_run"`
	Rows    int64           `json:"rows"`
	Seconds float64         `json:"seconds"`
	From    []movedFromJSON `json:"from"`
	// Accounts that stood in a database, and went along, or cannot stand where all is now.
	Stored   []string `json:"stored_accounts"`
	Unstored []string `json:"accounts_without_settings"`
}

type movedFromJSON struct {
	Name     string             `json:"name"`
	Whole    bool               `json:"whole"`        // nothing stays in it
	Before   bool               `json:"moved_before"` // by an earlier move
	Accounts []movedAccountJSON `json:"accounts"`
}

type movedAccountJSON struct {
	Account event.Account `json:"account"`
	Rows    int64         `json:"rows"`
}

func (m *Moving) printJSON(moved *record.Moved) error {
	all := MovedJSON{
		To: moved.To, Store: settingOf(m.to), DryRun: m.Dry, Rows: moved.Rows(), From: []movedFromJSON{},
		Stored: append([]string{}, m.carried...), Unstored: append([]string{}, m.unstored...),
		Seconds: time.Since(m.began).Round(time.Millisecond).Seconds(),
	}
	for i := range moved.From {
		f := &moved.From[i]
		from := movedFromJSON{Name: f.Name, Whole: f.Whole, Before: f.Before, Accounts: []movedAccountJSON{}}
		for _, a := range f.Accounts {
			from.Accounts = append(from.Accounts, movedAccountJSON{a.Account, a.Rows})
		}
		all.From = append(all.From, from)
	}
	return print.WriteJSON(m.Out, all)
}

func (m *Moving) print(moved *record.Moved) error {
	t := &print.Table{Head: []string{"ACCOUNT", "ROWS", "FROM"}}
	accounts := 0
	for i := range moved.From {
		for _, a := range moved.From[i].Accounts {
			t.Add(string(a.Account), strconv.FormatInt(a.Rows, 10), moved.From[i].Name)
			accounts++
		}
	}
	if accounts > 0 {
		if err := t.Print(m.Out, ""); err != nil {
			return err
		}
	}
	var lines []string
	noun := "accounts"
	if accounts == 1 {
		noun = "account"
	}
	switch what := fmt.Sprintf("%d %s with %d rows", accounts, noun, moved.Rows()); {
	case accounts == 0:
		lines = append(lines, fmt.Sprintf("all of it is in %s already", moved.To))
	case m.Dry:
		lines = append(lines, fmt.Sprintf("%s would be moved to %s", what, moved.To))
	default:
		lines = append(lines, fmt.Sprintf("%s moved to %s in %s", what, moved.To, time.Since(m.began).Round(10*time.Millisecond)))
	}
	lines = append(lines, m.storedLines()...)
	if !m.Dry {
		lines = append(lines, m.next(moved)...)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(m.Out, line); err != nil {
			return err
		}
	}
	return nil
}

// next says what is to be done now.
func (m *Moving) next(moved *record.Moved) (lines []string) {
	where := "set NECTAR_STORE=" + settingOf(m.to)
	if m.to.OnServer() {
		where += " (with the password in it, in PGPASSWORD or in ~/.pgpass)"
	}
	lines = append(lines, where+" before the bot starts the next time")
	for i := range moved.From {
		switch f := &moved.From[i]; {
		case f.Whole:
			lines = append(lines, fmt.Sprintf("%s stays as it is, and no bot runs on it any more: keep it as a copy, or delete it", f.Name))
		case len(f.Accounts) > 0:
			lines = append(lines, fmt.Sprintf("the others go on in %s: take the accounts that have left out of the settings of the bot there", f.Name))
		}
	}
	return lines
}
