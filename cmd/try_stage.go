package cmd

import "errors"

// tryStage is what a person types to: a chat with rules, or campaigns on a clock that moves.
type tryStage interface {
	do(typed string) []tryLine // takes what was typed, and returns what is new in the transcript
	take() []tryLine           // the lines that nobody has taken yet
	refresh()                  // goes on with the files as they are now
	greeting() string          // how the terminal begins
	standing() []string        // what there is to know at any time
	played() []any             // what came of it since the last time, for machines
	ended() bool
	troubled() bool // something that was asked for could not be done
}

// newTryStage reads the files and begins with what is in them: a chat where there are rules, campaigns where there are only those
// or when one is named. The error is what is wrong with the files.
func newTryStage(cfg tryConfig) (tryStage, error) {
	files := tryFiles{paths: cfg.paths, from: cfg.from}
	files.read()
	v := files.version
	if v == nil {
		return nil, brokenRules(files.broken)
	}
	all, _ := v.Campaigns()
	if cfg.campaign != "" || len(all) > 0 && v.Count() == 0 {
		return newTryCampaigns(cfg, files)
	}
	s, err := newTrySession(cfg)
	if err != nil {
		return nil, err // not a session that is nil
	}
	if len(all) > 0 {
		s.tell(tryAside, "there are campaigns, too: nectar try --campaign "+all[0].ID+" plays them")
	}
	return s, nil
}

var errNoCampaigns = errors.New("there are no campaigns in the files: leave out --campaign")

func (s *trySession) greeting() string {
	return "You are @" + s.who.State.User + ". Write to the bot; /help lists what else there is."
}

func (s *trySession) played() []any {
	all := make([]any, len(s.scenes))
	for i := range s.scenes {
		all[i] = s.scenes[i]
	}
	s.scenes = nil
	return all
}

func (s *trySession) ended() bool    { return s.done }
func (s *trySession) troubled() bool { return s.failed }
