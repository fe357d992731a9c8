package try

import (
	"errors"
	"strings"
)

// tryStage is what a person types to: a chat with rules, or campaigns on a clock that moves.
type tryStage interface {
	Do(typed string) []Line // takes what was typed, and returns what is new in the transcript
	TakeLines() []Line      // the lines that nobody has taken yet
	takeEdits()             // goes on with the files as they are now
	greetingText() string   // how the terminal begins
	StandingText() []string // what there is to know at any time
	playedLines() []any     // what came of it since the last time, for machines
	isEnded() bool
	isTroubled() bool // something that was asked for could not be done
}

// NewStage reads the files and begins with what is in them: a chat where there are rules, campaigns where there are only those
// or when one is named. The error is what is wrong with the files.
func NewStage(cfg Config) (tryStage, error) {
	files := Files{Paths: cfg.Paths, from: cfg.From}
	files.read()
	v := files.version
	if v == nil {
		return nil, brokenRules(files.broken)
	}
	all, _ := v.Campaigns()
	if cfg.Campaign != "" || len(all) > 0 && v.Count() == 0 {
		return newTryCampaigns(cfg, files)
	}
	s, err := NewSession(cfg)
	if err != nil {
		return nil, err // not a session that is nil
	}
	if len(all) > 0 {
		s.addLine(tryAside, "there are campaigns, too: nectar try --campaign "+all[0].ID+" plays them")
	}
	return s, nil
}

// ErrNoCampaigns is for a rehearsal of files without campaigns.
var ErrNoCampaigns = errors.New("there are no campaigns in the files: leave out --campaign")

func (s *Session) greetingText() string {
	hello := "You are @" + s.who.State.User + ". Write to the bot; /help lists what else there is."
	var always []string
	if s.Files.version != nil {
		for _, r := range s.Files.version.Listed() {
			if r.Always {
				always = append(always, r.ID)
			}
		}
	}
	if len(always) > 0 {
		hello += " Asked before all questions of the bot: " + strings.Join(always, ", ") + "."
	}
	return hello
}
