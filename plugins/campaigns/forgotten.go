package campaigns

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// forgetCampaign forgets a campaign that is in no file and not in force: its book, and what is remembered of it from slot to slot. What the
// account has done with its posts stays, since gaps and the budget count over all campaigns: without that, another campaign would repost
// tomorrow what this one has reposted today.
func forgetCampaign(s *state, words []string, _ campaigns.Note) (string, error) {
	id, _ := firstWord(words)
	m, known := s.Memories[id]
	waits := s.waiting != nil && s.waiting.Files[id] != ""
	switch {
	case campaigns.ByID(s.Campaigns, id) != nil:
		return "", obsoleteError("%s is in force: take it out of its file, then nectar campaigns apply", id)
	case waits || s.files.encoded[id] != "":
		return "", obsoleteError("%s is in a file: take it out of there first", id)
	case !known:
		return "", obsoleteError("nothing is remembered of a campaign %s", id)
	case len(openOf(m.Book)) > 0: // it may leave, and would stand in no book
		return "", obsoleteError("something of %s is on its way, or is being taken back: ask again in a minute", id)
	}
	delete(s.Memories, id)
	delete(s.stages, id)
	s.known = slices.DeleteFunc(slices.Clone(s.known), func(k string) bool { return k == id })
	s.forgets = append(s.forgets, id)
	return id + " is forgotten, with its book; when its posts came last is still known, for the gaps of other campaigns", nil
}
