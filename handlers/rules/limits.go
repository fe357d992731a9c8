package rules

import (
	"fmt"
	"strconv"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
)

const (
	limitPrefix = "rules/"
	pausedList  = "paused" // the rules that stopped themselves
)

// claims returns the uses of limits that a rule needs.
func (d *decider) claims(r *rule) []event.Claim {
	var claims []event.Claim
	add := func(name, scope string, l *text.Limit) {
		if l != nil {
			claims = append(claims, event.Claim{Limit: limitPrefix + r.id + "/" + name, Scope: scope, Max: l.Max, Within: l.Per, GiveBack: true})
		}
	}
	add("per_person", personScope(d.state.Peer), r.limits.PerPerson)
	if d.event.Post != 0 {
		add("per_post", "post:"+strconv.FormatInt(int64(d.event.Post), 10), r.limits.PerPost)
	}
	add("total", "", r.limits.Total)
	if m := r.tooMany; m != nil {
		claims = append(claims, event.Claim{Limit: limitPrefix + r.id + "/too_many", Max: m.MoreThan.Max, Within: m.MoreThan.In})
	}
	return claims
}

// personScope is the scope of what is counted for each person.
func personScope(peer platform.UserID) string { return "peer:" + strconv.FormatInt(int64(peer), 10) }

// limited tells which limit keeps a rule silent; "" when none does.
func (d *decider) limited(r *rule) string {
	if r.tooMany != nil {
		var paused bool
		if !d.fact(needEntry(pausedList, r.id), &paused) {
			return ""
		}
		if paused {
			return "it stopped itself, since it fired too often; nectar lists remove paused " + r.id + " lets it go on"
		}
	}
	for _, c := range d.claims(r) {
		var used int
		if !d.fact(needUses(c), &used) || used < c.Max {
			continue
		}
		if r.tooMany != nil && c.Limit == limitPrefix+r.id+"/too_many" {
			d.pause(r)
			return fmt.Sprintf("it fired more than %d times in %s, and stops itself", c.Max, text.Duration(c.Within))
		}
		return limitShown(c)
	}
	return ""
}

func limitShown(c event.Claim) string {
	name := c.Limit[len(limitPrefix):]
	if c.Within == 0 {
		return fmt.Sprintf("the limit %s (%d ever) is used up", name, c.Max)
	}
	return fmt.Sprintf("the limit %s (%s) is used up", name, text.Limit{Max: c.Max, Per: c.Within})
}

// pause stops a rule that fires too often.
func (d *decider) pause(r *rule) {
	why := fmt.Sprintf("%s fired more than %d times in %s, and is paused", r.id, r.tooMany.MoreThan.Max, text.Duration(r.tooMany.MoreThan.In))
	d.out.Entries = append(d.out.Entries, Entry{Rule: r.id, List: pausedList, Key: r.id, Text: why})
	d.out.Notices = append(d.out.Notices, Notice{Rule: r.id, Who: r.tooMany.Who, Text: why})
}

// claim lets what a rule did count. What waits for a person counts when it is released.
func (d *decider) claim(r *rule, status Status, from int) {
	claims := d.claims(r)
	switch {
	case len(claims) == 0:
	case status == Ask:
		if from < len(d.out.Actions) {
			d.out.Actions[from].Claims = claims
		}
	case status == Live:
		owner := d.out.ClaimOf < 0 && from < len(d.out.Actions)
		if owner {
			d.out.ClaimOf = from
		}
		for _, c := range claims {
			c.GiveBack = c.GiveBack && owner
			d.out.Claims = append(d.out.Claims, c)
		}
	}
}
