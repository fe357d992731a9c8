package try

import (
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/rehearsal"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// slotTime is how the time of a slot is shown.
const slotTime = "Mon 02 Jan 15:04"

// mostPlanned is how many slots /plan shows.
const mostPlanned = 30

// showScene puts what happens to a slot into the transcript.
func (s *tryCampaigns) showScene(sc *rehearsal.Scene) {
	v := &sc.Verdict
	if f := sc.Found; f != nil && v.Post == f.ID {
		made := ""
		if f.MadeUp {
			made = "made up: "
		}
		s.addLine(tryAside, fmt.Sprintf("%sthe newest post of %s is %d, %s", made, f.By, f.ID, print.QuotePlain(f.Text, 60)))
	}
	if why := v.Void.String(); why != "" {
		s.addLine(tryAside, fmt.Sprintf("what was prepared for %s counts no more: %s", v.Slot.ID, why))
	}
	s.scenes = append(s.scenes, newCampaignScene(sc))
	line := Line{kind: tryTime}
	switch {
	case sc.Prepared:
		line.text = s.asks(sc)
	case v.Kind == campaigns.Asks, v.Kind == campaigns.Wait: // it is looked at again
		return
	default:
		line.text = s.slotLine(v, sc.At, "", false)
	}
	if v.Kind == campaigns.Go {
		line.kind = tryBot
	}
	line.text = print.LegibleText(line.text)
	s.out = append(s.out, line)
	s.others(v)
}

// asks says what is prepared.
func (s *tryCampaigns) asks(sc *rehearsal.Scene) string {
	v := &sc.Verdict
	said := fmt.Sprintf("asks      %s: %s at %s; answer until %s", v.Slot.ID, doing(v), s.at(v.At, v), s.at(v.Deadline, v))
	if s.yes {
		said += ", and you approve it"
	}
	return s.stamp(sc.At) + "  " + said + s.clockOf(v)
}

// others says which posts were passed over, and why.
func (s *tryCampaigns) others(v *campaigns.Verdict) {
	for _, o := range v.Others {
		s.addLine(tryAside, fmt.Sprintf("%s not: %s", o.Item.Name(), o.Why))
	}
}

// slotLine says what becomes of a slot.
func (s *tryCampaigns) slotLine(v *campaigns.Verdict, at time.Time, also string, planned bool) string {
	word, what := "empty", v.Why.String()
	switch {
	case v.Kind.Publishes() && planned:
		word, what = "comes", doing(v)
	case v.Kind.Publishes():
		word, what = "leaves", doing(v)
	case v.Kind == campaigns.Watched:
		word, what = "would", doing(v)+", and is on watch"
	case v.Kind == campaigns.Stops:
		word, what = "ends", v.Why.String()
	}
	return fmt.Sprintf("%s  %-8s  %s: %s%s%s", s.stamp(at), word, v.Slot.ID, what, also, s.clockOf(v))
}

// doing says what a slot does.
func doing(v *campaigns.Verdict) string {
	what := ""
	switch {
	case v.Item.Text != "":
		what = "publish " + v.Item.Name()
	case v.Post == 0:
		what = "repost " + v.Item.Name()
	case v.Renew:
		what = fmt.Sprintf("take back and repost %d", v.Post)
	default:
		what = fmt.Sprintf("repost %d", v.Post)
	}
	if v.Item.Found() || v.Nth == 1 {
		return what
	}
	return fmt.Sprintf("%s (%s time)", what, ordinal(v.Nth))
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// stamp is a time at the head of a line.
func (s *tryCampaigns) stamp(t time.Time) string { return t.In(s.zone).Format(slotTime) }

// clockOf says by which clock the times in a line are, when it is not that of the others.
func (s *tryCampaigns) clockOf(v *campaigns.Verdict) string {
	if z := s.zoneOf(v); z.String() != s.zone.String() {
		return " (by the clocks of " + z.String() + ")"
	}
	return ""
}

// at is a time in a line.
func (s *tryCampaigns) at(t time.Time, v *campaigns.Verdict) string {
	return t.In(s.zoneOf(v)).Format("Mon 15:04")
}

func (s *tryCampaigns) zoneOf(v *campaigns.Verdict) *time.Location {
	for _, c := range s.play.Campaigns {
		if c.ID == v.Slot.ID.Campaign {
			return c.Zone
		}
	}
	return s.zone
}

// doPlan says what comes.
func (s *tryCampaigns) doPlan(arg string) error {
	if arg != "" {
		return fmt.Errorf("/plan takes nothing more")
	}
	now, n, more := s.play.Now(), 0, 0
	// From what was played so far, so it shows what an approval, or a refusal, has changed.
	for v := range campaigns.Plan(&s.play.Account, now, time.Time{}, now.AddDate(1, 0, 0)) {
		switch {
		case v.Kind == campaigns.Booked || !s.isShown(&v):
			continue
		case n == mostPlanned:
			more++
			continue
		}
		n++
		also := ""
		switch {
		case v.Kind == campaigns.Asks && v.Held:
			also = ", waits for approval until " + s.at(v.Deadline, &v)
		case v.Kind == campaigns.Asks:
			also = fmt.Sprintf(", asked for on %s, until %s", s.at(v.Ask, &v), s.at(v.Deadline, &v))
		case v.Approved:
			also = ", approved"
		}
		s.out = append(s.out, Line{kind: tryTime, text: print.LegibleText(s.slotLine(&v, v.At, also, true))})
		if v.Kind == campaigns.Skip {
			s.others(&v)
		}
	}
	switch {
	case n == 0:
		s.addLine(tryAside, "nothing comes any more, for a year")
	case more > 0:
		s.addLine(tryAside, fmt.Sprintf("and %d more in a year", more))
	}
	return nil
}

// doBook says what became of each slot.
func (s *tryCampaigns) doBook(arg string) error {
	if arg != "" {
		return fmt.Errorf("/book takes nothing more")
	}
	n := 0
	for i := range s.play.Book {
		sc := &s.play.Book[i]
		if !s.isShown(&sc.Verdict) {
			continue
		}
		n++
		line := strings.Replace(s.slotLine(&sc.Verdict, sc.At, "", false), "leaves  ", "done    ", 1)
		s.out = append(s.out, Line{kind: tryTime, text: print.LegibleText(line)})
		s.others(&sc.Verdict)
	}
	for _, id := range s.waitingSlots() {
		e := s.play.Memories[id.Campaign].Book[id]
		s.out = append(s.out, Line{kind: tryTime, text: fmt.Sprintf("%s  %-8s  %s: waits for an approval", s.stamp(e.Minute), "asked", id)})
		n++
	}
	if n == 0 {
		s.addLine(tryAside, "no slot has come yet")
	}
	return nil
}
