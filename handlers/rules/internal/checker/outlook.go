package checker

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/survey"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/internal/webhost"
)

// planned is a campaign without problems so far, so that it can be planned.
type planned struct {
	file *grammar.File
	camp *grammar.Campaign
}

// link is the address of a post.
type link struct {
	textfile.At
	account, host string
}

// findHosts finds links to another platform than an account's others, or than the bot's.
func (c *checker) findHosts() {
	type place struct{ account, domain string }
	count, most, first := map[place]int{}, map[string]string{}, map[string]string{}
	for _, l := range c.links {
		first[l.account] = cmp.Or(first[l.account], l.host)
		count[place{l.account, webhost.SharedDomain(l.host)}]++
	}
	for _, l := range c.links { // of equally frequent ones, the first
		d, known := webhost.SharedDomain(l.host), most[l.account]
		if known == "" || count[place{l.account, d}] > count[place{l.account, known}] {
			most[l.account] = d
		}
	}
	own := c.Around.Host
	for _, l := range c.links {
		switch {
		case webhost.SharedDomain(l.host) != most[l.account]:
			c.add(l.At, "link: %s is another platform than %s, to which the other links lead", l.host, most[l.account])
		case own != "" && !webhost.IsLocal(own) && !webhost.IsLocal(l.host) && webhost.SharedDomain(l.host) != webhost.SharedDomain(own):
			c.noteHint(l.At, "link: %s is another host than the platform's, %s: is it a post there?", l.host, own)
		case plainHost(l.host) != plainHost(first[l.account]): //mutate:check-hosts
			c.noteHint(l.At, "link: %s is another host than %s, to which the first link leads, and the bot goes by the number alone: open the post on %[2]s and copy its address", l.host, first[l.account])
		}
	}
}

// plainHost returns a host without what says only for which screen a page is.
func plainHost(host string) string { return strings.TrimPrefix(strings.TrimPrefix(host, "www."), "m.") }

// mostLookedAt bounds how many slots are planned in all, so that a check of any file is quick.
const mostLookedAt = 200_000

// checkPlans finds what the plan of each account shows: what is written may be right, line by line, and not come about.
func (c *checker) checkPlans() {
	var accounts []string
	for _, p := range c.planned {
		if !slices.Contains(accounts, p.camp.Account) {
			accounts = append(accounts, p.camp.Account)
		}
	}
	if len(accounts) > 1 { // one that names no account is in the way of each
		accounts = slices.DeleteFunc(accounts, func(a string) bool { return a == "" })
	}
	for _, account := range accounts {
		c.plansOf(account)
	}
}

// plansOf plans an account as if everything that is not paused were live; what is paused is planned by itself.
func (c *checker) plansOf(account string) {
	o := outlook{checker: c, by: map[string]planned{}}
	var together []*campaigns.Campaign
	for _, p := range c.planned {
		if p.camp.Account != "" && p.camp.Account != account { //mutate:check-apart
			continue
		}
		ready, err := o.ready(p, account)
		if err != nil {
			c.add(p.camp.At, "%s", err)
			continue
		}
		if o.by[ready.ID] = p; grammar.MoreCareful(p.camp.Status, p.file.StatusOf()) == decision.Paused { //mutate:check-paused
			o.survey(ready)
			continue
		}
		together = append(together, ready)
	}
	o.tellKept(o.survey(together...))
}

// tellKept says where slots leave rules nothing to publish, or rules may take what slots need.
func (o *outlook) tellKept(found []*survey.Outlook) {
	if len(found) == 0 || o.reposts.Line == 0 {
		return
	}
	busy := found[0].Busiest
	switch b, _ := o.Budget(); {
	case b.Most.Max == 0:
	case !b.Split && busy.N >= b.Most.Max:
		o.noteHint(o.reposts, "repost: from %s on, slots need all of %s that the account may publish, and leave rules nothing: write publishing: { most: %[2]s, for_rules: 1 }, or more for most",
			clockOf(busy.From), b.Most)
	case b.Split && b.ForRules <= b.Most.Max && busy.N > b.Most.Max-b.ForRules:
		o.noteHint(o.Settings.Publishing.At, "publishing → for_rules: from %s on, slots need %d of %s, and rules may have %d of these: slots may stay empty",
			clockOf(busy.From), busy.N, b.Most, b.ForRules)
	}
}

// outlook says what the plan of an account shows.
type outlook struct {
	*checker
	by map[string]planned // by the id
}

// ready returns a campaign as if it were live.
func (o *outlook) ready(p planned, account string) (*campaigns.Campaign, error) {
	to, _ := o.ToCampaign(p.file, p.camp)                          // links were checked
	to.Account, to.Status = event.Account(account), campaigns.Live //mutate:check-live
	for i := range to.Items {
		if it := &to.Items[i]; it.Status != campaigns.Paused {
			it.Status = ""
		}
	}
	return campaigns.New(to)
}

// survey plans campaigns together, and says what comes of it.
func (o *outlook) survey(all ...*campaigns.Campaign) []*survey.Outlook {
	if len(all) == 0 {
		return nil
	}
	budget, _ := o.Budget()
	found := survey.PlanOutlooks(all, budget, o.most(all, budget))
	for _, f := range found {
		o.slotted += f.Slots
		s := &shown{outlook: o, Outlook: f, planned: o.by[f.Campaign.ID]}
		if f.Cut {
			s.noteHint(s.camp.At, "the plan is not looked at to its end: it has too many slots or posts for a check")
			continue
		}
		s.sayAll()
	}
	return found
}

// most returns how many slots can be looked at in a moment: what has many posts, or keeps far apart, takes longer.
func (o *outlook) most(all []*campaigns.Campaign, b campaigns.Budget) int {
	const work = 400_000_000
	items, far := 1, max(b.Apart, b.Most.Per)
	for _, c := range all {
		items, far = max(items, len(c.Items)), max(far, c.KeepApart, c.Total.Per)
	}
	most := min(mostLookedAt-o.slotted, work/(items*items))
	if far > 31*24*time.Hour {
		most = min(most, mostLookedAt/8)
	}
	return max(most, 0)
}

// shown is a campaign with its outlook.
type shown struct {
	*outlook
	*survey.Outlook
	planned
	folded map[*survey.Unfilled]int // how many slots there are of all the days of a finding that is said once
}

// sayAll says all that the plan shows.
func (s *shown) sayAll() {
	s.pairSlots()
	s.foldDays()
	for i := range s.Lines {
		s.line(i)
	}
	if s.Slots == 0 {
		return
	}
	s.tellWithin()
	s.tellTwins()
	for i := range s.Empty {
		s.tellUnfilled(&s.Empty[i])
	}
	s.tellUnreached()
	s.tellTurns()
}

// slotAt returns a slot as it is written.
func (p *planned) slotAt(i int) *grammar.PlannedSlot { return &p.camp.Slots[i] }

// line says what is wrong with one line of the slots.
func (s *shown) line(i int) {
	slot := s.slotAt(i)
	if s.Lines[i].Slots == 0 {
		s.never(i)
		return
	}
	for j := range s.Lines[i].Empty {
		e := &s.Lines[i].Empty[j]
		switch {
		case e.Code == campaigns.TooClose && e.By.ID == s.Campaign.ID:
			s.tellClose(i, e)
		case e.Code == campaigns.TooClose:
			s.tellFight(i, e)
		case e.Code == campaigns.Missing:
			s.noteProblem(s.weighProblem(i, e, slot.Hint("slots: %s does not come on %s: there is no such day in %s", slot.When, e.First.ID.Day, s.Campaign.Zone)))
		case e.Code == campaigns.NoPost && len(e.Others) > 0:
			s.add(slot.At, "slots: what belongs to %s may not come then: %s", slot.When, e.Others[0].Why)
		}
	}
}

// never says why a line has no slot.
func (s *shown) never(i int) {
	slot := s.slotAt(i)
	for j := range i {
		if s.slotAt(j).When == slot.When {
			s.add(slot.At, "slots: %s is there twice", slot.When)
			return
		}
	}
	for j := range s.Lines {
		if j != i && s.slotAt(j).Together == slot.Together && (j < i || s.Lines[j].Slots > 0) {
			return // daily is right also of a campaign of five days
		}
	}
	if len(s.camp.Except) > 0 {
		s.add(slot.At, "slots: %s never comes from %s to %s, without the days of except", slot.When, s.camp.Starts, s.camp.Ends)
		return
	}
	s.add(slot.At, "slots: %s never comes from %s to %s", slot.When, s.camp.Starts, s.camp.Ends)
}

// weighProblem returns a finding as a problem when the line never comes about because of it.
func (s *shown) weighProblem(i int, e *survey.Unfilled, p textfile.Problem) textfile.Problem {
	p.Hint = e.N < s.slotsOf(i, e)
	return p
}

// dayOf names the day of a slot.
func dayOf(s campaigns.Slot) string { return s.At.Format("2 January") }

// minutesText says a length of time as people say short ones: 78m, not 1h18m.
func minutesText(d time.Duration) string {
	if m := d.Round(time.Minute) / time.Minute; m < 120 {
		return numberText(int(m)) + "m"
	}
	return text.Duration(d).String()
}

// listNames lists names: "a, b and c".
func listNames(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

// lineOf returns where a part stands, or the campaign.
func (s *shown) lineOf(at textfile.At) textfile.At {
	at.Line = cmp.Or(at.Line, s.camp.Line)
	at.File = s.camp.File
	return at
}
