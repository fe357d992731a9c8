package rules

import (
	"time"

	"github.com/nectar-bot/nectar/handlers/language"
	"github.com/nectar-bot/nectar/handlers/text"
)

// folder is a folder of rule files, read and not yet compiled.
type folder struct {
	settings Settings
	replies  Replies
	files    []*File // by name
	hash     string
	around   around

	spoiled map[string][]int // by file: lines on which something cannot be read
	cut     bool             // a file could not be read as a whole: what seems to be missing may stand there
}

// zone returns the time zone of a file's hours.
func (fo *folder) zone(f *File) *time.Location {
	switch {
	case f.Timezone.Location != nil:
		return f.Timezone.Location
	case fo.settings.Timezone.Location != nil:
		return fo.settings.Timezone.Location
	default:
		return time.UTC
	}
}

// language returns the language of a file.
func (fo *folder) language(f *File) language.Language {
	switch {
	case f.Language != "":
		return language.Language(f.Language)
	default:
		return language.Language(fo.settings.Language)
	}
}

// hours returns when we are at work, nil when nobody says so.
func (fo *folder) hours(f *File) *text.Hours {
	if f.Hours != nil {
		return f.Hours
	}
	return fo.settings.Hours
}

// quiet returns the quiet hours and what becomes of actions in them.
func (fo *folder) quiet(f *File) (*text.Quiet, InQuiet) {
	q, in := f.QuietHours, f.InQuietHours
	if q == nil {
		q = fo.settings.QuietHours
	}
	if in == "" {
		in = fo.settings.InQuietHours
	}
	if in == "" {
		in = Hold
	}
	return q, in
}

// status returns the status of a file: what nobody has written is on watch.
func (f *File) status() Status {
	if f.Status == "" {
		return Watch
	}
	return f.Status
}

// limits returns the limits of a rule with the defaults of its file.
func (f *File) limits(l Limits) Limits { return l.over(f.Defaults.Limits) }

// merge returns how long the file waits for the rest of a burst.
func (f *File) merge(own *text.Duration) time.Duration {
	if own != nil {
		return time.Duration(*own)
	}
	return time.Duration(f.Defaults.MergeMessages)
}

// replyAfter returns how long an answer waits.
func (f *File) replyAfter(own *text.Span) text.Span {
	if own != nil {
		return *own
	}
	return f.Defaults.ReplyAfter
}

// defaultAnswerWithin is how late an event may still be answered.
const defaultAnswerWithin = 6 * time.Hour

// answerWithin returns how late an event may still be answered.
func (f *File) answerWithin(own text.Duration) time.Duration {
	for _, d := range []text.Duration{own, f.Defaults.AnswerWithin, f.AnswerWithin} {
		if d > 0 {
			return time.Duration(d)
		}
	}
	return defaultAnswerWithin
}
