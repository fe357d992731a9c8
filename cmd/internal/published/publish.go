package published

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// PublishedAs returns the name under which a folder is published.
func PublishedAs(path string, args []string) (string, error) {
	if len(args) == 2 {
		if !record.IsSetName(args[1]) {
			return "", fmt.Errorf("%q is no name of a set: it has at most 32 lower-case letters, digits, - and _", print.PlainText(args[1], 40))
		}
		return args[1], nil
	}
	if _, published := record.SetOf(path); published {
		return "", errors.New("name the folder that is to be published, and behind it the name of the set, as in nectar publish rules shop")
	}
	info, err := os.Stat(path)
	name := filepath.Base(sources.WholePath(path))
	if err == nil && !info.IsDir() || !record.IsSetName(name) {
		return "", fmt.Errorf("say behind the path as what it is published, as in nectar publish %s shop", print.PlainText(path, 60))
	}
	return name, nil
}

// EncodedWhole writes files as one text, from which all of them come back as they are.
func EncodedWhole(src rules.Sources) (string, error) {
	encoded, err := src.Encode()
	if err != nil {
		return "", err
	}
	if back, err := rules.DecodeSources(encoded); err != nil || back.Hash() != src.Hash() {
		return "", errors.New("a file, or the name of one, is no proper text (UTF-8): nothing was published; nectar check says which line")
	}
	return encoded, nil
}

// FasterError says that somebody else has published meanwhile.
func FasterError(o *record.OvertakenError) error {
	return fmt.Errorf("nothing was published: %w. Look at what it changes, and publish once more if yours is to be in force", o)
}

// Published is what came of publishing, for machines.
type Published struct {
	Set       string          `json:"set"`
	Number    int64           `json:"number"` // that is in force; with DryRun that would be
	Hash      string          `json:"version"`
	Published bool            `json:"published"`
	DryRun    bool            `json:"dry_run,omitempty"`
	Accounts  []event.Account `json:"accounts,omitempty"`
	InStore   bool            `json:"-"` // they stand in the database
	ChangedFiles
	Problems textfile.Problems `json:"problems,omitempty"`
}

// WhoseText says who acts by it.
func (p *Published) WhoseText() string {
	switch {
	case len(p.Accounts) > 0:
		return ""
	case p.InStore:
		return fmt.Sprintf("No account acts by it: nectar accounts set NAME --rules %s lets one\n", record.PlaceOf(p.Set))
	default:
		return fmt.Sprintf("No account of the settings here acts by it: NECTAR_RULES=%s lets all do, and rules: %[1]s in the accounts file one\n", record.PlaceOf(p.Set))
	}
}
