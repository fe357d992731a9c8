package rules

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/handlers/text"
)

// campaign checks a campaign.
func (c *checker) campaign(f *File, camp *Campaign) {
	if c.soundHead(f) {
		c.laxer(camp.At, "campaign", "file", camp.Status, f.status())
	}
	if camp.Timezone.Location == nil && f.Timezone.Location == nil && c.folder.settings.Timezone.Location == nil {
		c.add(camp.At, "in which time zone are the slots? Write timezone, for example Europe/Lisbon")
	}
	c.content(f, camp)
	c.dates(camp)
	c.slots(camp)
	c.repeats(camp)
	if l := camp.Limits; l.Total != nil && l.Total.Max < 1 || l.Whole < 0 {
		c.add(l.At, "limits: 0 is never: write status: paused to switch it off")
	}
	if a := camp.Approve; a != nil {
		c.team(a.At, "approve → who: ", a.Who)
		if a.IfNobody != "" && a.IfNobody != "skip" {
			c.add(a.At, "approve → if_nobody: skip is all that can stand here: what nobody approved does not happen")
		}
	}
	for i := range camp.StopIf {
		c.stopIf(&camp.StopIf[i])
	}
	if r := camp.Report; r != nil {
		c.team(r.At, "report → to: ", r.To)
	}
}

// content checks what a campaign is made of.
func (c *checker) content(f *File, camp *Campaign) {
	switch repost := camp.Do == "repost"; {
	case repost && len(camp.Posts) == 0:
		c.add(camp.At, "do: repost needs posts, for example - link: https://social.example/thread/48121")
	case repost && len(camp.Texts) > 0:
		c.add(camp.At, "texts are for do: publish and do: message; what is reposted stands under posts")
	case !repost && len(camp.Texts) == 0:
		c.add(camp.At, "do: %s needs texts", camp.Do)
	case !repost && len(camp.Posts) > 0:
		c.add(camp.At, "posts are for do: repost; what is said stands under texts")
	}
	s := &scene{file: f, where: "texts: ", public: camp.Do == "publish"}
	for i := range camp.Texts {
		c.text(s, camp.At, &camp.Texts[i])
	}
	links := map[string]int{}
	for i := range camp.Posts {
		p := &camp.Posts[i]
		c.planned(f, camp, p)
		if p.Link == "" {
			continue
		}
		if line := links[p.Link]; line > 0 {
			c.add(p.At, "this post stands on line %d already; repeat says how often each comes", line)
		}
		links[p.Link] = p.Line
	}
}

// planned checks a post to repost.
func (c *checker) planned(f *File, camp *Campaign, p *PlannedPost) {
	switch {
	case p.Link == "" && p.From == "":
		c.add(p.At, "which post? Write link, or from: \"@somebody\"")
	case p.Link != "" && p.From != "":
		c.add(p.At, "link and from are both there: keep one of them")
	case p.Link != "" && (p.WithTag != "" || p.NewerThan != 0 || p.Take != ""):
		c.add(p.At, "with_tag, newer_than and take are for posts that are found at run time, with from")
	case p.Link != "" && !webAddress(p.Link):
		c.add(p.At, "link: %q is no address: it begins with https://", p.Link)
	case p.From != "" && !strings.HasPrefix(p.From, "@"):
		c.add(p.At, "from: write the user name with its @: \"@%s\"", p.From)
	}
	if p.Take != "" && p.Take != "newest" && p.Take != "most_liked" {
		c.known(p.At, "take: ", "such thing as", p.Take, []string{"newest", "most_liked"}, "Write newest or most_liked")
	}
	status := camp.Status.atMost(f.status())
	if !c.soundHead(f) {
		return
	}
	c.laxer(p.At, "post", "campaign", p.Status, status)
	if p.From != "" && p.Status.atMost(status) == Live {
		c.add(p.At, "what is found at run time is always shown to a person first: write status: ask")
	}
	if day := p.NotBefore; day != nil && camp.Ends != nil && at(*day).After(at(*camp.Ends)) {
		c.add(p.At, "not_before: the campaign ends before that, on %s", camp.Ends)
	}
}

// at returns when a day begins.
func at(d text.Day) time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// dates checks when a campaign begins and ends.
func (c *checker) dates(camp *Campaign) {
	if camp.Starts == nil || camp.Ends == nil {
		return
	}
	first, last := at(*camp.Starts), at(*camp.Ends)
	if last.Before(first) {
		c.add(camp.At, "it ends on %s, before it starts on %s", camp.Ends, camp.Starts)
		return
	}
	days := [7]bool{}
	for i, day := 0, first; i < 7 && !day.After(last); i, day = i+1, day.AddDate(0, 0, 1) {
		days[day.Weekday()] = true
	}
	for _, s := range camp.Slots {
		never := !days[s.Weekday]
		if s.Day != (text.Day{}) {
			never = at(s.Day).Before(first) || at(s.Day).After(last)
		}
		if never {
			c.add(camp.At, "slots: %s never comes from %s to %s", s, camp.Starts, camp.Ends)
		}
	}
}

// slots checks that slots keep apart.
func (c *checker) slots(camp *Campaign) {
	if len(camp.Slots) == 0 {
		c.add(camp.At, "slots are empty: write for example Tue 09:30")
	}
	slots := slices.DeleteFunc(slices.Clone(camp.Slots), func(s text.WhenTime) bool { return s.Day != (text.Day{}) })
	minute := func(s text.WhenTime) int { return int(s.Weekday)*24*60 + int(s.Clock) }
	slices.SortFunc(slots, func(a, b text.WhenTime) int { return minute(a) - minute(b) })
	for i := range slots {
		if len(slots) == 1 {
			break
		}
		a, b := slots[i], slots[(i+1)%len(slots)]
		apart := time.Duration((minute(b)-minute(a)+7*24*60)%(7*24*60)) * time.Minute
		switch {
		case apart == 0:
			c.add(camp.At, "slots: %s is there twice", a)
		case apart < time.Duration(camp.KeepApart):
			c.add(camp.At, "slots: %s and %s are closer than keep_apart: %s", a, b, camp.KeepApart)
		case apart <= time.Duration(camp.Jitter.UpTo):
			c.add(camp.At, "slots: with jitter up to %s, %s may come after %s", camp.Jitter.UpTo, a, b)
		}
	}
}

// repeats checks how often posts come again.
func (c *checker) repeats(camp *Campaign) {
	r := camp.Repeat
	if r == nil {
		return
	}
	const undo = "undo_then_repost"
	switch {
	case r.How != "" && r.How != undo:
		c.known(r.At, "repeat → how: ", "such thing as", r.How, []string{undo}, "Write "+undo)
	case camp.Do == "repost" && r.EachPost > 1 && r.How == "":
		c.add(r.At, "repeat: a second repost takes the first one back on this network: write how: %s", undo)
	}
	if r.EachPost > 1 && r.Gap == 0 {
		c.hint(r.At, "repeat: without gap the same post may come in two slots in a row: write for example gap: 4d")
	}
	if camp.Starts == nil || camp.Ends == nil || r.EachPost < 2 || r.Gap == 0 {
		return
	}
	long := at(*camp.Ends).AddDate(0, 0, 1).Sub(at(*camp.Starts))
	if gaps := time.Duration(r.Gap) * time.Duration(r.EachPost-1); gaps > long || gaps < 0 {
		c.add(r.At, "repeat: %d times with %s in between do not fit between %s and %s", r.EachPost, r.Gap, camp.Starts, camp.Ends)
	}
}

// stopIf checks what ends a campaign.
func (c *checker) stopIf(s *StopIf) {
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
		if plain(w) == "" {
			c.add(p.At, "stop_if → new_replies_with_word: there is no word in %s", fmt.Sprintf("%q", w))
		}
	}
	if p.MoreThan != nil && p.MoreThan.Max < 0 {
		c.add(p.At, "stop_if → more_than: write for example 3 in 1h")
	}
}
