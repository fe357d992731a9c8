package campaigns_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"pgregory.net/rapid"
)

// said are texts of a campaign: "words", or "id: words".
func said(all ...string) (items []campaigns.Item) {
	for _, s := range all {
		if id, words, named := strings.Cut(s, ": "); named {
			items = append(items, campaigns.Item{Key: campaigns.TextIDKey("daily", id), Text: words})
			continue
		}
		items = append(items, campaigns.Item{Key: campaigns.TextKey(s), Text: s})
	}
	return items
}

// saying is a campaign that publishes four texts, each of them again after four days at the earliest.
func saying(tb rapid.TB, items []campaigns.Item, change ...func(*campaigns.Campaign)) *campaigns.Campaign {
	tb.Helper()
	return daily(tb, append([]func(*campaigns.Campaign){func(c *campaigns.Campaign) {
		c.Do, c.Items, c.Gap, c.Each, c.Renews = campaigns.Publish, items, 4*day, 3, false
	}}, change...)...)
}

// played is the account once the slots of some days are over, as planned.
func played(tb rapid.TB, c *campaigns.Campaign, days int) (*campaigns.Account, time.Time) {
	tb.Helper()
	a, to := account(start(tb), c), start(tb).AddDate(0, 0, days)
	for v := range campaigns.Plan(a, start(tb), time.Time{}, to) {
		a.Memories[c.ID], a.Uses = campaigns.Take(c, a.Memories[c.ID], a.Uses, v)
		a.Memories[c.ID], a.Uses = campaigns.Conclude(c, a.Memories[c.ID], a.Uses, v.Slot.ID, campaigns.Conclusion{Done: true, At: v.At})
	}
	return a, to
}

const (
	hear    = "The asparagus is hear, come and taste it"
	here    = "The asparagus is here, come and taste it"
	pizza   = "Pizza 9 €"
	sunday  = "Open on Sunday"
	terrace = "Come down to the river today and see our new terrace"
)

// A text at its place with nearly the same words is the same one, and so is one with the same id. Everything else is another text.
func TestRewords(t *testing.T) {
	t.Parallel()
	was := []string{hear, pizza, sunday, terrace}
	swap := func(n int, s string) []string { all := slices.Clone(was); all[n] = s; return all }
	for name, c := range map[string]struct {
		was, is []string
		want    string // what differs
		waits   bool
	}{
		"a letter":              {was, swap(0, here), `"… is hear, come …" → "… is here, come …"`, true},
		"a price":               {was, swap(1, "Pizza 8 €"), "", true},
		"a price among words":   {swap(1, "Pizza with tomato and fresh basil, 9 €"), swap(1, "Pizza with tomato and fresh basil, 8 €"), "", true},
		"another dish":          {was, swap(1, "Pasta 9 €"), "", true},
		"two words of many":     {was, swap(3, "Come down to the river today and see our old garden"), `"… our new terrace" → "… our old garden"`, true},
		"three words of many":   {was, swap(3, "Come down to the river today and find an old terrace"), "", true},
		"at another place":      {was, []string{pizza, here, sunday, terrace}, "", true},
		"and one before it":     {was, []string{"Good morning", hear, pizza, sunday, "Come down to the river today and see the new terrace"}, `"… see our new …" → "… see the new …"`, true},
		"one gone, one mended":  {was, []string{here, sunday, terrace}, `"… is hear, come …" → "… is here, come …"`, true},
		"an id":                 {was, swap(0, "spring: "+hear), "", false},
		"ids for all":           {was, []string{"a: " + hear, "b: " + pizza, "c: " + sunday, "d: " + terrace}, "", false},
		"an id, and mended":     {was, swap(0, "spring: "+here), `"… is hear, come …" → "… is here, come …"`, true},
		"no id any more":        {swap(0, "spring: "+hear), was, "", false},
		"other words by id":     {swap(0, "spring: "+hear), swap(0, "spring: Strawberries!"), `"The asparagus is hear, come and taste it" → "Strawberries!"; far`, true},
		"another id":            {swap(0, "spring: "+hear), swap(0, "summer: "+hear), "", false},
		"another id, and words": {swap(0, "spring: "+hear), swap(0, "summer: "+here), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, now := played(t, saying(t, said(c.was...)), 1)
			d := campaigns.Difference(a, []*campaigns.Campaign{saying(t, said(c.is...))}, now)
			var all []string
			for _, r := range d.Rewords {
				s := r.String()
				if r.Far {
					s += "; far"
				}
				all = append(all, s)
			}
			if got := strings.Join(all, ", "); got != c.want || d.Waits() != c.waits {
				t.Errorf("the edit %s, with %s, waits: %v; not %s, %v", d.String(), got, d.Waits(), c.want, c.waits)
			}
		})
	}
}

// comes are the texts that come from a time on, by their days.
func comes(a *campaigns.Account, now time.Time, days int) string {
	var all []string
	for v := range campaigns.Plan(a, now, time.Time{}, now.AddDate(0, 0, days)) {
		what := "-"
		if v.Kind.Publishes() {
			what = v.Item.Name()
		}
		all = append(all, fmt.Sprintf("%s %s", v.At.Format("Mon"), what))
	}
	return strings.Join(all, "; ")
}

// A corrected text keeps its turns and its gap. It comes in its own right only where people say that it is a new one.
func TestCorrectedTextComesWhenItWasToCome(t *testing.T) {
	t.Parallel()
	for _, turn := range []campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed} {
		for _, id := range []string{"", "spring: "} {
			a, now := played(t, saying(t, said(id+hear, pizza, sunday, terrace), func(c *campaigns.Campaign) { c.Turn = turn }), 3)
			planned := comes(a, now, 20)
			next := []*campaigns.Campaign{saying(t, said(id+here, pizza, sunday, terrace), func(c *campaigns.Campaign) { c.Turn = turn })}
			b := a.Edited(next, now)
			if got, want := comes(&b, now, 20), strings.ReplaceAll(planned, "hear", "here"); got != want {
				t.Errorf("%s %q: after the edit comes\n%s\nand not\n%s", turn, id, got, want)
			}
			a.TextsAsNew = true
			c := a.Edited(next, now)
			if asNew := comes(&c, now, 20); (asNew == comes(&b, now, 20)) != (id != "") {
				t.Errorf("%s %q: as a new text it comes\n%s\nwhere it came\n%s", turn, id, asNew, planned)
			}
		}
	}
}

// A text that gets an id, or loses it, changes nothing: what comes and when, what is prepared, and what was published.
func TestTextIDsChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		written := func() []string {
			all := []string{hear, pizza, sunday, terrace}
			for i := range all {
				if rapid.Bool().Draw(t, "with an id") {
					all[i] = fmt.Sprintf("t%d: %s", i, all[i])
				}
			}
			return all
		}
		change := func(c *campaigns.Campaign) {
			c.Turn = rapid.SampledFrom([]campaigns.Turn{campaigns.InOrder, campaigns.Shuffle, campaigns.LeastUsed}).Draw(t, "turn")
			c.Status = rapid.SampledFrom([]campaigns.Status{campaigns.Live, campaigns.Ask}).Draw(t, "status")
		}
		c := saying(t, said(written()...), change)
		a, now := played(t, c, rapid.IntRange(0, 9).Draw(t, "days"))
		for v := range campaigns.Plan(a, now, time.Time{}, now.AddDate(0, 0, 2)) {
			if v.Kind == campaigns.Asks {
				a.Memories["daily"] = campaigns.Prepare(a.Memories["daily"], v, "", now)
			}
		}
		was := comes(a, now, 20)
		for range 3 {
			next := *c
			next.Items = said(written()...)
			all := []*campaigns.Campaign{ready(t, next)}
			if d := campaigns.Difference(a, all, now); d.String() != "changes no slot" {
				t.Fatalf("the edit %s", d.String())
			}
			edited := a.Edited(all, now)
			a = &edited
			if is := comes(a, now, 20); is != was {
				t.Fatalf("it comes\n%s\nand not\n%s", is, was)
			}
		}
	})
}

// What was approved in other words is asked for again.
func TestApprovalOfOtherWordsIsVoid(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "spring: "} {
		ask := func(c *campaigns.Campaign) { c.Status = campaigns.Ask }
		a := account(start(t), saying(t, said(id+hear, pizza, sunday, terrace), ask))
		for v := range campaigns.Plan(a, start(t), time.Time{}, start(t).AddDate(0, 0, 1)) {
			a.Memories["daily"] = campaigns.Approve(campaigns.Prepare(a.Memories["daily"], v, "", start(t)), v.Slot.ID, "mia", true, start(t))
		}
		next := []*campaigns.Campaign{saying(t, said(id+here, pizza, sunday, terrace), ask)}
		if d := campaigns.Difference(a, next, start(t)); len(d.Voids) != 1 || !d.Waits() {
			t.Errorf("%q: the edit %s", id, d.String())
		}
		b := a.Edited(next, start(t))
		for v := range campaigns.Plan(&b, start(t), time.Time{}, start(t).AddDate(0, 0, 1)) {
			if v.Approved || v.Void.Code == "" {
				t.Errorf("%q: the slot is %+v", id, v)
			}
		}
	}
}

// Until people have seen the edit nothing comes of a text that it puts into other words: neither the old ones nor the new.
func TestRewordedTextIsWithheld(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "spring: "} {
		a := account(start(t), saying(t, said(id+hear, pizza, sunday, terrace)))
		a.Withhold([]*campaigns.Campaign{saying(t, said(id+here, pizza, sunday, terrace))})
		if got, want := comes(a, start(t), 3), `Mon -; Tue "Pizza 9 €"; Wed "Open on Sunday"`; got != want {
			t.Errorf("%q: %s comes, and not %s", id, got, want)
		}
	}
}

// What one campaign has published of a text keeps its distance from what another one does with it, with ids or without, also after both were corrected.
func TestGapOfTextsOverCampaigns(t *testing.T) {
	t.Parallel()
	both := func(first, second string) []*campaigns.Campaign {
		late := func(c *campaigns.Campaign) {
			c.ID, c.Lines = "late", lines(t, "Tue 18:00", "Sat 18:00")
		}
		return []*campaigns.Campaign{saying(t, said(first), func(c *campaigns.Campaign) { c.Lines = lines(t, "Mon 12:00") }), saying(t, said(second), late)}
	}
	for name, ids := range map[string][2]string{"with ids": {"a: ", "b: "}, "with one": {"", "b: "}, "without": {"", ""}} {
		for _, done := range []bool{true, false} {
			a := account(start(t), both(ids[0]+hear, ids[1]+hear)...)
			now := start(t).AddDate(0, 0, 1)
			for v := range campaigns.Plan(a, start(t), time.Time{}, now) {
				a.Memories["daily"], a.Uses = campaigns.Take(a.Campaigns[0], a.Memories["daily"], a.Uses, v)
				a.Memories["daily"], a.Uses = campaigns.Conclude(a.Campaigns[0], a.Memories["daily"], a.Uses, v.Slot.ID, campaigns.Conclusion{Done: done, At: v.At})
			}
			b := a.Edited(both(ids[0]+here, ids[1]+here), now)
			for words, account := range map[string]*campaigns.Account{"hear": a, "here": &b} {
				want := `Tue -; Sat "The asparagus is ` + words + `, come a…"`
				if !done {
					want = `Tue "The asparagus is ` + words + `, come a…"; Sat "The asparagus is ` + words + `, come a…"`
				}
				if got := strings.TrimPrefix(comes(account, now, 5), "Mon -; "); got != want {
					t.Errorf("%s, done %v: %s comes, and not %s", name, done, got, want)
				}
			}
		}
	}
}
