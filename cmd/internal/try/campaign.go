package try

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/rehearsal"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// tryCampaigns plays campaigns: what is typed goes in, lines of a transcript come out. It knows nothing of terminals.
type tryCampaigns struct {
	files   Files
	cfg     Config
	account event.Account // whose campaigns are played
	focus   string        // the campaign on stage; "" is all of them. The others run beside it, and are approved
	play    *rehearsal.Rehearsal
	zone    *time.Location
	goal    time.Time // until when time was to pass, while an approval is asked for; zero: it was not
	yes     bool      // everything is approved as it comes up

	transcript
}

// allOnStage is the word for all campaigns.
const allOnStage = "all"

// newTryCampaigns begins on the day before the first slot.
func newTryCampaigns(cfg Config, files Files) (*tryCampaigns, error) {
	s := &tryCampaigns{files: files, cfg: cfg, account: cfg.account}
	if cfg.Campaign != allOnStage {
		s.focus = cfg.Campaign
	}
	all, problems := s.written()
	switch {
	case len(problems) > 0:
		return nil, brokenRules(problems.Error())
	case len(all) == 0:
		return nil, ErrNoCampaigns
	}
	if s.focus != "" && !slices.ContainsFunc(all, func(c *campaigns.Campaign) bool { return c.ID == s.focus }) {
		return nil, fmt.Errorf("there is no campaign %q in the files; there is %s", s.focus, strings.Join(idsOf(all), ", "))
	}
	first, at, is := s.first(all)
	s.zone = first.Zone
	// A day before, so that what is asked for ahead of it is seen, too.
	begins := startOfDay(at.In(s.zone).AddDate(0, 0, -1))
	if cfg.at != nil {
		begins = cfg.at.Next(begins)
	}
	s.play = rehearsal.NewRehearsal(all, s.budget(), begins)
	s.play.Approves = func(v *campaigns.Verdict) bool { return s.yes || !s.isShown(v) }
	s.tellFiles(&s.files)
	s.addLine(tryAside, "A rehearsal: nothing is sent, nothing is kept. The platform is made up: the posts of the campaigns are there, were written "+
		"by others two weeks ago, and are not reposted yet.")
	if s.account != "" {
		s.addLine(tryAside, "The campaigns of the account "+string(s.account)+" are played.")
	}
	for _, c := range all {
		if s.focus == "" || c.ID == s.focus {
			s.addLine(tryAside, introduced(c))
		}
	}
	why := "the day before the first slot"
	switch {
	case !is:
		why = "there is no slot"
	case cfg.at != nil:
		why = "the first slot comes on " + at.In(s.zone).Format(slotTime)
	}
	s.addLine(tryAside, fmt.Sprintf("It is %s in %s, %s. /wait goes to what comes next, /wait 3d three days on, /help lists the rest.",
		begins.Format("Monday 2 January 2006 15:04"), s.zone, why))
	return s, nil
}

// written returns the campaigns as the files have them, of one account: an account has one calendar.
func (s *tryCampaigns) written() ([]*campaigns.Campaign, textfile.Problems) {
	all, problems := s.files.version.Campaigns()
	for _, c := range all {
		if s.account == "" && (s.focus == "" || c.ID == s.focus) {
			s.account = c.Account
		}
	}
	return slices.DeleteFunc(all, func(c *campaigns.Campaign) bool {
		return c.Account != "" && s.account != "" && c.Account != s.account
	}), problems
}

// budget is how much the account publishes.
func (s *tryCampaigns) budget() campaigns.Budget {
	b, _ := s.files.version.Budget()
	return b
}

// first returns the campaign that is on stage first, and when its first slot comes; false when it has none.
func (s *tryCampaigns) first(all []*campaigns.Campaign) (first *campaigns.Campaign, at time.Time, found bool) {
	for _, c := range all {
		if s.focus != "" && c.ID != s.focus {
			continue
		}
		begins := c.Starts.At(0, c.Zone)
		slot, is := begins, false
		for one := range c.Slots(begins, begins.AddDate(farthest, 0, 0)) {
			slot, is = one.At, true
			break
		}
		if first == nil || is && (!found || slot.Before(at)) {
			first, at, found = c, slot, is
		}
	}
	return first, at, found
}

// startOfDay is the first minute of a day.
func startOfDay(t time.Time) time.Time { return text.DayOf(t).At(0, t.Location()) }

func idsOf(all []*campaigns.Campaign) []string {
	ids := make([]string, len(all))
	for i, c := range all {
		ids[i] = c.ID
	}
	return ids
}

// introduced says in a line what a campaign is.
func introduced(c *campaigns.Campaign) string {
	times := make([]string, len(c.Lines))
	for i, l := range c.Lines {
		times[i] = l.When.String()
	}
	how := map[campaigns.Status]string{
		campaigns.Live: "live", campaigns.Ask: "each slot is approved first", campaigns.Watch: "on watch: publishes nothing", campaigns.Paused: "paused in the file",
	}[c.Status]
	return fmt.Sprintf("%s (%s): %s; %s in %s", c.ID, cmp.Or(c.Name, string(c.Do)), how, strings.Join(times, ", "), c.Zone)
}

// isShown reports whether a slot is on stage.
func (s *tryCampaigns) isShown(v *campaigns.Verdict) bool {
	return s.focus == "" || v.Slot.ID.Campaign == s.focus
}

// Do takes what was typed, and returns what is new in the transcript.
func (s *tryCampaigns) Do(typed string) []Line {
	s.takeEdits()
	typed = strings.TrimSpace(typed)
	waits := s.play.HasWaiting()
	var err error
	switch {
	case typed == "":
	case strings.HasPrefix(typed, "/"):
		err = s.runCommand(typed)
	default:
		err = fmt.Errorf("campaigns are played with commands, such as /wait 3d; /help lists them. To chat with rules: nectar try without --campaign")
	}
	if waits && !s.play.HasWaiting() && !strings.HasPrefix(typed, "/apply") {
		s.addLine(tryAside, "the slots are over that the edit waited for: the campaigns are in force as they are written now")
	}
	if err != nil {
		s.fail(err)
	}
	return s.TakeLines()
}

// takeEdits takes a saved edit over, as a bot would.
func (s *tryCampaigns) takeEdits() {
	if !s.files.read() {
		return
	}
	s.tellFiles(&s.files)
	if s.files.broken != "" {
		return
	}
	all, problems := s.written()
	if len(problems) > 0 {
		s.addLine(tryTrouble, problems.Error())
		s.addLine(tryAside, "the last good version stays in force")
		return
	}
	s.edited(all)
}

// edited takes campaigns over that were saved.
func (s *tryCampaigns) edited(all []*campaigns.Campaign) {
	e, changed := s.play.Save(all, s.files.version.AppliesAtOnce())
	for _, id := range e.Lower {
		s.addLine(tryAside, id+" is more careful at once, as it is written now")
	}
	switch s.play.AccountFacts.Budget = s.budget(); {
	case e.Waits:
		s.addLine(tryAside, "the edit waits, since it "+e.Diff.String()+": /apply puts it in force")
		s.tellChanges("moves", e.Diff.Moves)
		s.tellChanges("removes", e.Diff.Removals)
		s.tellChanges("voids", e.Diff.Voids)
	case changed:
		s.addLine(tryAside, "the campaigns are in force as they are written now: "+e.Diff.String())
	}
	s.withdrawn(e.Gone)
}

// mostToldOfAnEdit is how many slots are told of that an edit changes in one way.
const mostToldOfAnEdit = 6

func (s *tryCampaigns) tellChanges(does string, all []campaigns.Change) {
	for i, c := range all {
		if i == mostToldOfAnEdit {
			s.addLine(tryAside, fmt.Sprintf("and %d more", len(all)-i))
			return
		}
		said := does + " " + c.Was.Slot.ID.String()
		if c.Is != nil && c.Is.Slot.ID != c.Was.Slot.ID {
			said += " to " + c.Is.Slot.ID.Clock.String()
		}
		s.addLine(tryAside, said)
	}
}

func (s *tryCampaigns) withdrawn(gone []campaigns.SlotID) {
	for _, id := range gone {
		s.addLine(tryAside, fmt.Sprintf("what was prepared for %s is withdrawn: the campaign has no such slot any more", id))
	}
}

func (s *tryCampaigns) doApply(string) error {
	gone, err := s.play.Apply()
	if err == nil {
		s.addLine(tryAside, "the campaigns are in force as they are written now")
		s.withdrawn(gone)
	}
	return err
}

func (s *tryCampaigns) greetingText() string { return "/wait goes on; /help lists what else there is." }

// StandingText says what the clock shows, and what waits.
func (s *tryCampaigns) StandingText() []string {
	parts := []string{s.play.Now().In(s.zone).Format("Mon 2 January 2006 15:04"), cmp.Or(s.focus, "all campaigns")}
	if n := len(s.waitingSlots()); n > 0 {
		parts = append(parts, fmt.Sprintf("for approval: %d", n))
	}
	if s.play.HasWaiting() {
		parts = append(parts, "an edit waits")
	}
	if s.files.broken != "" {
		parts = append(parts, "the files have problems")
	}
	for i := range parts {
		parts[i] = print.PlainText(parts[i], 0)
	}
	return parts
}
