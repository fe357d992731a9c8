package grammar

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/internal/bounds"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/language"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Folder is a folder of rule files, read and not yet compiled.
type Folder struct {
	Settings Settings
	Replies  Replies
	Files    []*File // by name
	Around   Around

	settings textfile.Node    // as they are written
	spoiled  map[string][]int // by file: lines on which something cannot be read
	Cut      bool             // a file could not be read as a whole: what seems to be missing may stand there
}

// SettingAt returns where a setting stands; of a list, where one of its items does.
func (fo *Folder) SettingAt(key string, item ...int) textfile.At {
	n := fo.settings.Get(key)
	if items := n.Items(); len(item) > 0 && item[0] < len(items) {
		n = items[item[0]]
	}
	if n.Kind() == textfile.Missing {
		return fo.Settings.At
	}
	return n.At()
}

// ZoneOf returns the time zone of a file's hours.
func (fo *Folder) ZoneOf(f *File) *time.Location {
	switch {
	case f.Timezone.Location != nil:
		return f.Timezone.Location
	case fo.Settings.Timezone.Location != nil:
		return fo.Settings.Timezone.Location
	default:
		return time.UTC
	}
}

// Language returns the language of a file.
func (fo *Folder) Language(f *File) language.Language {
	switch {
	case f.Language != "":
		return language.Language(f.Language)
	default:
		return language.Language(fo.Settings.Language)
	}
}

// Hours returns when we are at work, nil when nobody says so.
func (fo *Folder) Hours(f *File) *text.Hours {
	if f.Hours != nil {
		return f.Hours
	}
	return fo.Settings.Hours
}

// QuietHours returns the quiet hours and what becomes of actions in them.
func (fo *Folder) QuietHours(f *File) (*text.Quiet, InQuiet) {
	q, in := f.QuietHours, f.InQuietHours
	if q == nil {
		q = fo.Settings.QuietHours
	}
	if in == "" {
		in = fo.Settings.InQuietHours
	}
	if in == "" {
		in = Hold
	}
	return q, in
}

// StatusOf returns the status of a file: what nobody has written is on watch.
func (f *File) StatusOf() decision.Status {
	if f.Status == "" {
		return decision.Watch
	}
	return f.Status
}

// LimitsOf returns the limits of a rule with the defaults of its file.
func (f *File) LimitsOf(l Limits) Limits { return l.overDefaults(f.Defaults.Limits) }

// MergeOf returns how long the file waits for the rest of a burst.
func (f *File) MergeOf(own *text.Duration) time.Duration {
	if own != nil {
		return time.Duration(*own)
	}
	return time.Duration(f.Defaults.MergeMessages)
}

// ReplyAfterOf returns how long an answer waits.
func (f *File) ReplyAfterOf(own *bounds.Span) bounds.Span {
	if own != nil {
		return *own
	}
	return f.Defaults.ReplyAfter
}

// defaultAnswerWithin is how late an event may still be answered.
const defaultAnswerWithin = 6 * time.Hour

// AnswerWithinOf returns how late an event may still be answered.
func (f *File) AnswerWithinOf(own text.Duration) time.Duration {
	for _, d := range []text.Duration{own, f.Defaults.AnswerWithin, f.AnswerWithin} {
		if d > 0 {
			return time.Duration(d)
		}
	}
	return defaultAnswerWithin
}
