package try

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/rehearsal"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

// campaignCommands lists what can be typed.
func campaignCommands() []slash[*tryCampaigns] {
	return []slash[*tryCampaigns]{
		{"wait", "3d", "time passes; alone: until the next thing happens", (*tryCampaigns).doWait},
		{"approve", "[SLOT]", "approves what is asked for; always: from now on everything", (*tryCampaigns).doApprove},
		{"refuse", "[SLOT]", "refuses it", (*tryCampaigns).doRefuse},
		{"plan", "", "what comes", (*tryCampaigns).doPlan},
		{"book", "", "what became of each slot, and why", (*tryCampaigns).doBook},
		{"outage", "5h", "the bot, or the platform, is away from now on for so long", (*tryCampaigns).doOutage},
		{"delete", "48121", "the post is deleted", onPost((*rehearsal.Rehearsal).Delete, "%d is deleted")},
		{"private", "48121", "its author makes it private", onPost((*rehearsal.Rehearsal).HidePost, "%d is private")},
		{"public", "48121", "and public again", onPost((*rehearsal.Rehearsal).ShowPost, "%d is public")},
		{"phone", "undo 48121", "somebody of ours takes the repost back by hand; phone repost: makes one", (*tryCampaigns).doPhone},
		{"post", `@ana "TEXT"`, "somebody writes a post, which a search may find", (*tryCampaigns).doPost},
		{"allow", "48121", "lets a post come again that was out", onPost((*rehearsal.Rehearsal).AllowPost, "%d may come again")},
		{"pause", "[ID]", "stops the campaign: its slots pass", (*tryCampaigns).doPause},
		{"resume", "[ID]", "lets it go on; what has passed does not come", (*tryCampaigns).doResume},
		{"skip", "SLOT", "takes a slot out", (*tryCampaigns).doSkip},
		{"move", "SLOT TO", "gives a slot another minute: 2027-03-17T10:15, or 10:15", (*tryCampaigns).doMove},
		{"apply", "", "puts an edit in force that waits", (*tryCampaigns).doApply},
		{"help", "", "this list", (*tryCampaigns).doHelp},
		{"quit", "", "ends it; so do Ctrl-C and Ctrl-D", func(s *tryCampaigns, arg string) error { return s.doQuit(arg) }},
	}
}

// runCommand runs what begins with a slash.
func (s *tryCampaigns) runCommand(typed string) error {
	return runSlash(s, campaignCommands(), typed, "")
}

// doWait lets time pass. What is asked for on the way stops it, and it goes on when that is answered.
func (s *tryCampaigns) doWait(arg string) error {
	if arg == "" {
		s.goal = time.Time{}
		return s.next()
	}
	d, err := text.ParseDuration(arg)
	if err != nil {
		return fmt.Errorf("/wait %s: %w", print.PlainText(arg, 32), err)
	}
	then := s.play.Now().Add(time.Duration(d))
	if then.After(s.play.Now().AddDate(farthest, 0, 0)) {
		return fmt.Errorf("/wait %s: that is more than %d years", arg, farthest)
	}
	s.goal = then
	s.passes()
	return nil
}

// next goes to the next thing that happens on stage.
func (s *tryCampaigns) next() error {
	far := s.play.Now().AddDate(1, 0, 0)
	if !s.comes(far) {
		return errors.New("nothing comes any more, for a year")
	}
	for {
		scene, more := s.play.Next(far)
		switch {
		case !more:
			return errors.New("nothing comes any more, for a year")
		case s.isShown(&scene.Verdict):
			s.showScene(&scene)
			return nil
		}
	}
}

// comes reports whether a slot on stage is to be decided before a time.
func (s *tryCampaigns) comes(before time.Time) bool {
	for v := range campaigns.Plan(&s.play.Account, s.play.Now(), time.Time{}, before) {
		if v.Kind != campaigns.Booked && s.isShown(&v) {
			return true
		}
	}
	return false
}

// passes lets time pass until the goal, or until something is asked for.
func (s *tryCampaigns) passes() {
	for {
		scene, more := s.play.Next(s.goal)
		if !more {
			s.tellClock(s.goal)
			s.goal = time.Time{}
			return
		}
		if !s.isShown(&scene.Verdict) {
			continue
		}
		s.showScene(&scene)
		if scene.Prepared && !s.yes {
			s.addLine(tryAside, fmt.Sprintf("/approve or /refuse it, and the wait goes on until %s; /wait goes on without an answer", s.goal.In(s.zone).Format(slotTime)))
			return
		}
	}
}

// tellClock says what time it is.
func (s *tryCampaigns) tellClock(t time.Time) {
	s.out = append(s.out, Line{kind: tryTime, text: "--- " + t.In(s.zone).Format("Mon 2 January 15:04")})
}

func (s *tryCampaigns) doOutage(arg string) error {
	d, err := text.ParseDuration(arg)
	if err != nil {
		return fmt.Errorf("/outage %s: %w", print.PlainText(arg, 32), err)
	}
	from := s.play.Now()
	s.play.PassTime(time.Duration(d))
	s.addLine(tryAside, fmt.Sprintf("from %s to %s nothing is decided, and nothing leaves", from.In(s.zone).Format(slotTime), s.play.Now().In(s.zone).Format(slotTime)))
	for { // what the bot finds when it is back
		scene, more := s.play.Next(s.play.Now())
		if !more {
			break
		}
		if s.isShown(&scene.Verdict) {
			s.showScene(&scene)
		}
	}
	s.tellClock(s.play.Now())
	return nil
}

// waitingSlots returns the slots on stage that wait for an approval.
func (s *tryCampaigns) waitingSlots() []campaigns.SlotID {
	return slices.DeleteFunc(s.play.WaitingSlots(), func(id campaigns.SlotID) bool { return s.focus != "" && id.Campaign != s.focus })
}

func (s *tryCampaigns) doApprove(arg string) error {
	if s.yes = s.yes || arg == "always"; arg == "always" {
		s.addLine(tryAside, "everything is approved as it comes up")
		for _, id := range s.waitingSlots() {
			if err := s.rules(id, true); err != nil {
				return err
			}
		}
		s.goesOn()
		return nil
	}
	return s.answers(arg, true)
}

func (s *tryCampaigns) doRefuse(arg string) error { return s.answers(arg, false) }

// answers approves a slot, or refuses it.
func (s *tryCampaigns) answers(arg string, yes bool) error {
	waiting := s.waitingSlots()
	var id campaigns.SlotID
	switch {
	case arg != "":
		named, err := s.slot(arg)
		if err != nil {
			return err
		}
		id = named
	case len(waiting) == 0:
		return errors.New("nothing waits for an approval")
	case len(waiting) > 1:
		names := make([]string, len(waiting))
		for i := range waiting {
			names[i] = waiting[i].String()
		}
		return errors.New("several wait, name one: " + strings.Join(names, ", "))
	default:
		id = waiting[0]
	}
	if err := s.rules(id, yes); err != nil {
		return err
	}
	s.goesOn()
	return nil
}

// rules says what was decided about a slot.
func (s *tryCampaigns) rules(id campaigns.SlotID, yes bool) error {
	if err := s.play.DecideSlot(id, yes); err != nil {
		return err
	}
	s.addLine(tryAside, map[bool]string{true: "approved: ", false: "refused: "}[yes]+id.String())
	return nil
}

// goesOn lets the time pass that an approval has broken off.
func (s *tryCampaigns) goesOn() {
	if !s.goal.IsZero() && len(s.waitingSlots()) == 0 {
		s.passes()
	}
}

// slot reads the name of a slot; that of the campaign may be left out where there is one.
func (s *tryCampaigns) slot(arg string) (campaigns.SlotID, error) {
	if only := s.only(); only != "" && !strings.Contains(arg, "@") {
		arg = only + "@" + arg
	}
	return campaigns.ParseSlotID(arg)
}

// only is the campaign that is meant when none is named; "" when there are several.
func (s *tryCampaigns) only() string {
	if s.focus == "" && len(s.play.Campaigns) == 1 {
		return s.play.Campaigns[0].ID
	}
	return s.focus
}

// onPost makes a command that does something with a post.
func onPost(do func(*rehearsal.Rehearsal, platform.PostID) error, said string) func(*tryCampaigns, string) error {
	return func(s *tryCampaigns, arg string) error {
		id, err := sources.PostNumber(arg)
		if err == nil {
			err = do(s.play, id)
		}
		if err == nil {
			s.addLine(tryAside, fmt.Sprintf(said, id))
		}
		return err
	}
}

func (s *tryCampaigns) doPhone(arg string) error {
	what, number, _ := strings.Cut(arg, " ")
	if what != "undo" && what != "repost" {
		return errors.New("write /phone undo 48121 or /phone repost 48121")
	}
	id, err := sources.PostNumber(strings.TrimSpace(number))
	if err != nil {
		return err
	}
	if err := s.play.RepostByHand(id, what == "repost"); err != nil {
		return err
	}
	s.addLine(tryAside, fmt.Sprintf(map[bool]string{true: "somebody of ours reposts %d by hand", false: "somebody of ours takes the repost of %d back by hand"}[what == "repost"], id))
	return nil
}

func (s *tryCampaigns) doPost(arg string) error {
	who, says, _ := strings.Cut(arg, " ")
	says = strings.Trim(strings.TrimSpace(says), `"`)
	if !strings.HasPrefix(who, "@") || len(who) < 2 || says == "" {
		return errors.New(`write who posts, and what: /post @partner_cafe "Fresh today #springmenu"`)
	}
	id, err := s.play.AddPost(who, says)
	if err == nil {
		s.addLine(tryAside, fmt.Sprintf("%s posts %d: %s. From now on nothing is made up for them", who, id, print.QuotePlain(says, 60)))
	}
	return err
}

// each does something with the campaigns that are meant.
func (s *tryCampaigns) each(arg string, do func(id string) error, said string) error {
	ids := []string{arg}
	if arg == "" {
		if ids = idsOf(s.play.Campaigns); s.focus != "" {
			ids = []string{s.focus}
		}
	}
	for _, id := range ids {
		if err := do(id); err != nil {
			return err
		}
		s.addLine(tryAside, id+" "+said)
	}
	return nil
}

func (s *tryCampaigns) doPause(arg string) error {
	return s.each(arg, s.play.Pause, "is paused: its slots pass")
}

func (s *tryCampaigns) doResume(arg string) error {
	return s.each(arg, s.play.Resume, "goes on; what has passed does not come")
}

func (s *tryCampaigns) doSkip(arg string) error {
	id, err := s.slot(arg)
	if err == nil {
		err = s.play.Skip(id)
	}
	if err == nil {
		s.addLine(tryAside, id.String()+" is taken out")
	}
	return err
}

func (s *tryCampaigns) doMove(arg string) error {
	slot, to, _ := strings.Cut(strings.TrimSpace(arg), " ")
	id, err := s.slot(slot)
	if err == nil {
		err = s.play.Move(id, to)
	}
	if err == nil {
		s.addLine(tryAside, id.String()+" is moved to "+print.PlainText(to, 32))
	}
	return err
}

func (s *tryCampaigns) doHelp(string) error {
	for _, c := range campaignCommands() {
		s.addLine(tryAside, c.shownText())
	}
	s.addLine(tryAside, "A file that is saved meanwhile is taken over, or waits for /apply, as with a bot. SLOT is a name like spring-menu@2027-03-16T09:30.")
	return nil
}
