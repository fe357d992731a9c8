package record

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
)

// setPrefix begins the place of rules that are published.
const setPrefix = "store:"

var setName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// SetOf returns the set that a place of rules names, as in "store:shop"; false when it is a folder.
func SetOf(place string) (name string, ok bool) { return strings.CutPrefix(place, setPrefix) }

// PlaceOf returns the place of a set.
func PlaceOf(set string) string { return setPrefix + set }

// IsSetName reports whether a set may be called so.
func IsSetName(name string) bool { return setName.MatchString(name) }

// Set is a folder of rules and campaigns that people have published, in the edition that is in force.
type Set struct {
	Name   string
	Number int64 // of the edition, from 1 on; 0 for none
	Hash   string
}

// Edition is what was published of a set at one time. Editions are kept for ever, with their content.
type Edition struct {
	Set
	At     time.Time
	By     string // who published it
	Why    string
	BackTo int64 // the earlier edition with the same content; 0 for none
}

// OvertakenError is the error of publishing when somebody else was faster.
type OvertakenError struct {
	Edition // that is in force now; its number is 0 when there is none
}

// Error tells who was faster.
func (e *OvertakenError) Error() string {
	if e.Number == 0 {
		return fmt.Sprintf("nothing of %s is published", e.Name)
	}
	said := fmt.Sprintf("%s has published %s %d", e.By, e.Name, e.Number)
	if e.BackTo > 0 {
		said = fmt.Sprintf("%s has gone back to %s %d, as %d", e.By, e.Name, e.BackTo, e.Number)
	}
	if e.Why != "" {
		said += fmt.Sprintf(" (%s)", e.Why)
	}
	return fmt.Sprintf("%s on %s, and it is in force", said, e.At.Local().Format("2006-01-02 at 15:04:05"))
}

// InForce are rules that are in force, or were last.
type InForce struct {
	Account event.Account // that they were stored for; "" for those of a bot that tells no difference
	Hash    string
	Content string
	Folder  string // where they were, as the settings named it; "" when that is not known
	Since   time.Time
}

// Rules are rules that come into force.
type Rules struct {
	Hash     string          // of Content
	Content  string          // in the format of the program that stores it
	Folder   string          // where they are, as the settings name it
	Accounts []event.Account // that act by them from now on; none: all accounts of a bot that tells no difference
}
