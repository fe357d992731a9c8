package checker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/grammar"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/internal/webhost"
)

// checkCampaign checks what a campaign says, but for what becomes of it: see checkPlans.
func (c *checker) checkCampaign(f *grammar.File, camp *grammar.Campaign) {
	// Only a campaign without a problem is planned: what the plan would find of another one comes from the problem.
	before := c.count[counted{f.File, false}]
	if c.SoundHead(f) {
		c.checkLaxer(camp.At, "campaign", "file", camp.Status, f.StatusOf())
	}
	if camp.Timezone.Location == nil && f.Timezone.Location == nil && c.Settings.Timezone.Location == nil {
		c.add(camp.At, "in which time zone are the slots? Write timezone, for example Europe/Lisbon")
	}
	c.refuseKeys(camp.Pictures, camp.TakeBack, camp.Picture, camp.Comment)
	for i := range camp.Texts {
		c.refuseKeys(camp.Texts[i].Picture, camp.Texts[i].Comment, camp.Texts[i].TakeBack)
	}
	for i := range camp.Posts {
		c.refuseKeys(camp.Posts[i].Picture, camp.Posts[i].Comment, camp.Posts[i].TakeBack)
	}
	for i := range camp.Slots {
		c.refuseKeys(camp.Slots[i].Picture, camp.Slots[i].Comment, camp.Slots[i].TakeBack)
	}
	c.checkAccount(camp)
	c.content(f, camp)
	c.ends(camp)
	c.slots(f, camp)
	c.repeats(camp)
	c.careful(camp)
	for i := range camp.StopIf {
		c.stopIf(&camp.StopIf[i])
	}
	if r := camp.Report; r != nil {
		c.checkTeam(r.At, "report → to: ", r.To)
		if r.Every != nil && r.Every.Day != (text.Day{}) {
			c.add(r.At, "report → every: write a day of the week, for example Fri 17:00")
		}
	}
	// One whose id another one has would be taken for that one.
	if c.count[counted{f.File, false}] == before && c.SoundHead(f) && !c.IsSpoiled(grammar.SettingsFile) && c.ids[camp.ID].At == camp.At { //mutate:check-id-twice
		for _, one := range camp.PerAccount() {
			c.planned = append(c.planned, planned{f, one})
		}
	}
}

// refuseKeys says of what stands behind keys that nothing is done with it.
func (c *checker) refuseKeys(all ...textfile.Node) {
	for _, n := range all {
		if n.Kind() != textfile.Missing { //mutate:check-not-run
			c.add(n.At(), "%s: not run by this version: take it out", n.Key())
		}
	}
}

// checkAccount checks the account of a campaign.
func (c *checker) checkAccount(camp *grammar.Campaign) {
	names := make([]string, len(c.Around.Accounts))
	for i, a := range c.Around.Accounts {
		names[i] = string(a)
	}
	switch {
	case len(names) == 0:
	case len(camp.Accounts) == 0 && len(names) > 1: //mutate:check-account
		c.add(camp.At, "account is missing: %d accounts act by these files: write account: and one of %s", len(names), enumerateSome(names))
	}
	for i, a := range camp.Accounts {
		if slices.Contains(camp.Accounts[:i], a) {
			c.add(camp.PlaceOf("account"), "account: %s is there twice", a)
		} else if len(names) > 0 {
			c.checkKnown(camp.At, "account: ", "account", a, names, "These files are those of "+enumerateSome(names))
		}
	}
}

// careful checks limits and approvals.
func (c *checker) careful(camp *grammar.Campaign) {
	if l := camp.Limits; l.Total != nil && l.Total.Max < 1 || l.Whole != nil && *l.Whole < 1 {
		c.add(l.At, "limits: 0 is never: write status: paused to switch it off")
	}
	a := camp.Approve
	if a == nil {
		return
	}
	c.checkTeam(a.At, "approve → who: ", a.Who)
	if a.IfNobody != "" && a.IfNobody != "skip" {
		c.add(a.At, "approve → if_nobody: skip is all that can stand here: what nobody approved does not happen")
	}
	if before := time.Duration(a.AtLeast.Before); before >= campaigns.PreparedBefore {
		c.add(a.At, "approve → at_least: %s before is too early: a slot is prepared %s before it at most, so nobody could approve it in time: write for example 2h before",
			a.AtLeast.Before, text.Duration(campaigns.PreparedBefore))
	}
}

// content checks what a campaign is made of.
func (c *checker) content(f *grammar.File, camp *grammar.Campaign) {
	switch repost := camp.Do == "repost"; {
	case repost && len(camp.Texts) > 0:
		c.add(camp.PlaceOf("texts"), "texts are for do: publish; what is reposted stands under posts")
	case repost && len(camp.Posts) == 0 && camp.IsWeekly():
		c.add(camp.At, "do: repost needs posts, for example - link: https://social.example/thread/48121")
	case !repost && len(camp.Posts) > 0:
		c.add(camp.PlaceOf("posts"), "posts are for do: repost; what is said stands under texts")
	case !repost && len(camp.Texts) == 0 && camp.IsWeekly():
		c.add(camp.At, "do: %s needs texts", camp.Do)
	}
	c.plannedTexts(f, camp)
	lines := map[string]int{}
	for i := range camp.Posts {
		p := &camp.Posts[i]
		c.reposted(f, camp, p)
		it, wrong := p.ToItem()
		if wrong != "" || p.Link == "" && p.From == "" {
			continue // it was told
		}
		if line := lines[it.Key]; line > 0 {
			c.add(p.At, "this post stands on line %d already; repeat says how often each comes", line)
		}
		lines[it.Key] = p.Line
	}
}

// plannedTexts checks texts to publish, and what they are called.
func (c *checker) plannedTexts(f *grammar.File, camp *grammar.Campaign) {
	s := &scene{file: f, where: "texts: ", public: true}
	said, ids := map[string]bool{}, map[string]int{}
	call := func(at textfile.At, id string) {
		switch line := ids[id]; {
		case id == "" || !c.validID(at, "id", id):
		case line > 0:
			c.add(at, "the text on line %d has the id %s already: give each text its own", line, id)
		default:
			ids[id] = at.Line
		}
	}
	for i := range camp.Texts {
		t := &camp.Texts[i]
		words := t.Text.String()
		if c.ownText(s, t.At, &t.Text); said[words] {
			c.add(t.At, "texts: this text is there twice; repeat says how often each comes: %s", (&campaigns.Item{Text: words}).Name())
		}
		said[words] = true
		call(t.At, t.ID)
	}
	for i := range camp.Slots {
		switch slot := &camp.Slots[i]; {
		case slot.ID != "" && slot.Text.String() == "":
			c.add(slot.At, "slots: id is the name of a text that comes then, and there is none: write text, too")
		case slot.ID != "" && said[slot.Text.String()]:
			c.add(slot.At, "slots: this text stands under texts, too: leave the id to that")
		default:
			call(slot.At, slot.ID)
		}
	}
	s.where = "drafts: "
	for i := range camp.Drafts {
		d := &camp.Drafts[i]
		call(d.At, d.ID)
		c.draft(s, camp, d)
	}
}

// draft checks what has no date yet, so that it can be given one without a surprise.
func (c *checker) draft(s *scene, camp *grammar.Campaign, d *grammar.Draft) {
	switch said := d.Text.String() != ""; {
	case said == (d.Link != ""):
		c.add(d.At, "drafts: write a text or the link to a post, one of them")
	case said && camp.Do == "repost":
		c.add(d.At, "drafts: do: repost has links to posts; what is said stands in a campaign with do: publish")
	case !said && camp.Do == "publish":
		c.add(d.At, "drafts: do: publish has texts; posts stand in a campaign with do: repost")
	case said:
		c.ownText(s, d.At, &d.Text)
	default:
		c.link(camp, d.At, "drafts: ", d.Link)
	}
}

// reposted checks a post to repost.
func (c *checker) reposted(f *grammar.File, camp *grammar.Campaign, p *grammar.PlannedPost) {
	switch {
	case p.Link == "" && p.From == "":
		c.add(p.At, "which post? Write link, or from: \"@somebody\"")
	case p.Link != "" && p.From != "":
		c.add(p.At, "link and from are both there: keep one of them")
	case p.Link != "" && (p.WithTag != "" || p.NewerThan != 0 || p.Take != ""):
		c.add(p.At, "with_tag, newer_than and take are for posts that are found at run time, with from")
	case p.Link != "":
		c.link(camp, p.At, "link: ", p.Link)
	case strings.HasPrefix(p.From, "#"):
		c.add(p.At, "from: name the person whose posts have this tag: { from: \"@somebody\", with_tag: %q }", p.From)
	case p.From != "" && !strings.HasPrefix(p.From, "@"):
		c.add(p.At, "from: write the user name with its @: \"@%s\"", p.From)
	}
	switch {
	case p.Take == "most_liked":
		c.add(p.At, "take: most_liked is not run by this version: write newest")
	case p.Take != "":
		c.checkKnown(p.At, "take: ", "such thing as", p.Take, []string{"newest"}, "Write newest")
	}
	status := grammar.MoreCareful(camp.Status, f.StatusOf())
	// The status of the file may be what could not be read: nothing is said that depends on it.
	if !c.SoundHead(f) {
		return
	}
	c.checkLaxer(p.At, "post", "campaign", p.Status, status)
	if p.From != "" && grammar.MoreCareful(p.Status, status) == decision.Live {
		c.add(p.At, "what is found at run time is always shown to a person first: write { from: %q, status: ask }", p.From)
	}
	c.young(camp, p)
	if day := p.NotBefore; day != nil && camp.Ends != nil && !camp.Ends.Never && at(*day).After(at(camp.Ends.Day)) {
		c.add(p.At, "not_before: the campaign ends before that, on %s", camp.Ends)
	}
}

// young checks that what is found can be young enough at its slot.
func (c *checker) young(camp *grammar.Campaign, p *grammar.PlannedPost) {
	var atLeast time.Duration
	if camp.Approve != nil {
		atLeast = time.Duration(camp.Approve.AtLeast.Before)
	}
	ahead := campaigns.AskedBefore(atLeast)
	if p.From != "" && p.NewerThan > 0 && time.Duration(p.NewerThan) <= ahead { //mutate:check-newer
		c.add(p.At, "newer_than: %s finds nothing: it counts at the slot, and a post is looked for %s before: write more than %[2]s, for example 3d",
			p.NewerThan, text.Duration(ahead))
	}
}

// at returns when a day begins.
func at(d text.Day) time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// ends checks when a campaign ends. A campaign without an end needs something that ends its posts.
func (c *checker) ends(camp *grammar.Campaign) {
	switch e := camp.Ends; {
	case e == nil || camp.Starts == nil:
		return
	case !e.Never: //mutate:check-never
		if at(e.Day).Before(at(*camp.Starts)) {
			c.add(camp.PlaceOf("ends"), "it ends on %s, before it starts on %s", e, camp.Starts)
		} else if c.isOver(e.Day) { //mutate:check-over
			c.noteHint(camp.PlaceOf("ends"), "all of it is over since %s: is the year right? If it is, take the campaign out; its book stays", e)
		}
		return
	}
	var r grammar.Repeat
	if camp.Repeat != nil {
		r = *camp.Repeat
	}
	var missing []string
	if time.Duration(r.Gap) < 7*24*time.Hour {
		missing = append(missing, "repeat → gap: 7d or more")
	}
	if camp.Limits.Total == nil {
		missing = append(missing, "limits → total, for example 1 per 1d")
	}
	if r.StopAfter == 0 && r.UntilOlder == 0 {
		missing = append(missing, "repeat → stop_after: 20 times, or until_older: 1y")
	}
	if len(missing) > 0 {
		c.add(camp.PlaceOf("ends"), "ends: never needs what keeps it from repeating itself for ever: write %s", strings.Join(missing, "; and "))
	}
}

// slots checks what slots say of themselves.
func (c *checker) slots(f *grammar.File, camp *grammar.Campaign) {
	if len(camp.Slots) == 0 {
		c.add(camp.PlaceOf("slots"), "slots are empty: write for example Tue 09:30")
	}
	s := &scene{file: f, where: "slots → text: ", public: true}
	for i := range camp.Slots {
		slot := &camp.Slots[i]
		said := slot.Text.String() != ""
		switch weekly := slot.When.Day == (text.Day{}); {
		case slot.Post != "" && said:
			c.add(slot.At, "slots: post and text are both there: keep one of them")
		case weekly && (slot.Post != "" || said):
			c.add(slot.At, "slots: a post or text of its own is for a slot of one day: write at: 2027-03-16 %s", slot.When.Clock)
		case slot.Post != "" && camp.Do == "publish":
			c.add(slot.At, "slots: post is for do: repost; what is said is text")
		case said && camp.Do == "repost":
			c.add(slot.At, "slots: text is for do: publish; what is reposted is post")
		case slot.Post != "":
			c.link(camp, slot.At, "post: ", slot.Post)
		case said:
			c.ownText(s, slot.At, &slot.Text)
		}
	}
}

// link checks the address of a post.
func (c *checker) link(camp *grammar.Campaign, at textfile.At, where, address string) {
	if _, wrong := grammar.LinkedPost(address); wrong != "" {
		c.add(at, "%s%s", where, wrong)
		return
	}
	for _, one := range camp.PerAccount() {
		c.links = append(c.links, link{at, one.Account, webhost.HostOf(address)})
	}
}

// ownText checks a text that is published: it is said to nobody, so that there is nothing to fill in.
func (c *checker) ownText(s *scene, at textfile.At, t *template.Template) {
	for _, v := range t.Variables() {
		if v.Saved == "" {
			c.add(at, "%sthere is no {{%s}} in what is published: it is said to nobody. Write the words themselves, or {{saved: NAME}} for a reply of replies.yaml", s.where, v.Name)
			return
		}
		saved, there := c.savedReply(s, &grammar.Say{At: at, Saved: v.Saved})
		switch {
		case !there: // it was told
			return
		case len(saved.Texts) != 1 || len(saved.Texts[0].Variables()) > 0:
			c.add(at, "%s{{saved: %s}} has to be one text without variables, and replies.yaml has another", s.where, v.Saved)
			return
		}
	}
	filled, err := template.Parse(c.Replies.FillIn(*t))
	if err != nil { // a reply has been read, and a text without variables
		c.add(at, "%s%s", s.where, err)
		return
	}
	c.text(s, at, &filled)
}

// repeats checks how often posts come again.
func (c *checker) repeats(camp *grammar.Campaign) {
	r := camp.Repeat
	if r == nil {
		return
	}
	each := max(r.EachPost, r.EachText)
	switch {
	case r.EachText > 0 && camp.Do == "repost":
		c.add(r.At, "repeat → each_text is for do: publish: write each_post")
	case r.EachPost > 0 && camp.Do == "publish":
		c.add(r.At, "repeat → each_post is for do: repost: write each_text")
	case r.How != "" && r.How != grammar.UndoThenRepost:
		c.checkKnown(r.At, "repeat → how: ", "such thing as", r.How, []string{grammar.UndoThenRepost}, "Write "+grammar.UndoThenRepost)
	case camp.Do == "repost" && each != 1 && r.How == "":
		c.add(r.At, "repeat: a second repost takes the first one back on this network: write how: %s", grammar.UndoThenRepost)
	}
	if r.UntilOlder > 0 && camp.Do == "publish" {
		c.add(r.At, "repeat → until_older is for posts: texts have no age: write stop_after: 20 times")
	}
	if others := text.Duration(24 * time.Hour); camp.Do == "repost" && r.Gap > 0 && r.Gap < others { //mutate:check-others-gap
		c.noteHint(r.At, "repeat → gap: %s is for posts of your own: those of others do not come again within 24 h, since their author is told each time: write gap: 1d", r.Gap)
	}
	if each != 1 && r.Gap == 0 {
		what := "post"
		if camp.Do == "publish" {
			what = "text"
		}
		c.noteHint(r.At, "repeat: without gap the same %s may come in two slots in a row: write for example gap: 4d", what)
	}
}

// stopIf checks what ends a campaign.
func (c *checker) stopIf(s *grammar.StopIf) {
	switch {
	case s.Post == nil && s.Account == nil:
		c.add(s.At, "stop_if: write post: deleted, or account: { warnings: any }")
	case s.Post != nil && s.Account != nil:
		c.add(s.At, "stop_if: post and account are two things: put each behind a dash of its own")
	}
	if a := s.Account; a != nil && a.Warnings != "any" {
		c.add(a.At, "stop_if → warnings: any is all that can stand here")
	}
	p := s.Post
	if p == nil || p.Deleted {
		return
	}
	if len(p.Words) == 0 {
		c.add(p.At, "stop_if → post: write new_replies_with_word with some words, or post: deleted")
	}
	for _, w := range p.Words {
		if grammar.PlainText(w) == "" {
			c.add(p.At, "stop_if → new_replies_with_word: there is no word in %s", fmt.Sprintf("%q", w))
		}
	}
	if p.MoreThan != nil && p.MoreThan.Max < 0 {
		c.add(p.At, "stop_if → more_than: write for example 3 in 1h")
	}
}
