package demo

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// A demo with campaigns alone has an account for each, with a slot each minute. Beside messages all of them are on one account,
// which is another one than the one that answers.
const (
	demoShop      = "shop%d"
	demoApart     = time.Minute      // between two publications of an account
	Tolerance     = 2 * time.Minute  // how late a slot may leave: see handlers/campaigns
	demoGap       = 3 * time.Second  // between two publications of a post; demoApart counts, but for what was there before
	demoBefore    = 30 * time.Minute // people have reposted by hand so long ago
	demoShopPolls = 5 * time.Second
)

// demoLead is how long before the first slot a demo begins: its bot has to sign in everywhere, and somebody to approve what is first.
func demoLead(campaigns int) time.Duration {
	return 7*time.Second + time.Duration(campaigns)*40*time.Millisecond
}

// What the campaigns of a demo are.
const (
	ShopReposts  = iota // a post of somebody else in each slot, at once
	ShopAsks            // the same, when a person has approved it
	ShopRenews          // an own post, again and again: by itself once a renewal that a person has approved was seen to lift it
	ShopRenewals        // the same, each time when a person has approved it
)

// shopTurns is what campaigns are in turns: three of five renew, since that is where a kill hurts.
var shopTurns = []int{ShopRenews, ShopAsks, ShopRenewals, ShopRenews, ShopReposts}

// Campaign is a campaign of the demo, as the bot is told of it.
type Campaign struct {
	ID      string
	Account event.Account
	Kind    int
	First   time.Time // its first slot; the others follow minute by minute
	Slots   int
	Posts   []platform.PostID
	Shown   bool // another one of its account may show before it that a renewal lifts a post
}

// isRenewal reports whether the campaign reposts one post again and again.
func (c *Campaign) isRenewal() bool { return c.Kind == ShopRenews || c.Kind == ShopRenewals }

// asksApproval reports whether a person has to approve the n-th publication of a post, from 0 on, by that number alone.
func (c *Campaign) asksApproval(n int) bool {
	return c.Kind == ShopAsks || c.Kind == ShopRenewals || c.Kind == ShopRenews && n == 0 && !c.Shown
}

// zoneName is of a zone in which a minute begins with its first slot: so that there is something to see at once, at any time of day.
func (c *Campaign) zoneName() string { return fmt.Sprintf("demo/%02d", c.offset()) }

func (c *Campaign) offset() int { return (60 - c.First.Second()) % 60 }

// slotTimes returns when the slots are.
func (c *Campaign) slotTimes() (all []time.Time) {
	for i := range c.Slots {
		all = append(all, c.First.Add(time.Duration(i)*time.Minute))
	}
	return all
}

// name is the name of a slot.
func (c *Campaign) name(at time.Time) string { return c.ID + "@" + c.clockText(at) }

// clockText is what the clocks of the campaign show.
func (c *Campaign) clockText(at time.Time) string {
	return at.In(time.FixedZone("", c.offset())).Format("2006-01-02T15:04")
}

// compile makes the campaign ready.
func (c *Campaign) compile() (*campaigns.Campaign, error) {
	zone, err := time.LoadLocation(c.zoneName())
	if err != nil {
		return nil, fmt.Errorf("the zone of a campaign: %w", err)
	}
	made := campaigns.Campaign{
		ID: c.ID, Account: c.Account, Do: campaigns.Repost, Status: campaigns.Live, Zone: zone, Starts: text.DayOf(c.First.AddDate(0, 0, -1)),
		Turn: campaigns.InOrder, Each: 1, KeepApart: demoApart, Missed: campaigns.Missed{What: campaigns.SkipMissed},
		Renews: c.isRenewal(),
	}
	if c.Kind == ShopAsks || c.Kind == ShopRenewals {
		made.Status = campaigns.Ask
	}
	if c.isRenewal() {
		made.Each, made.Gap = 0, demoGap
	}
	for _, at := range c.slotTimes() {
		at = at.In(zone)
		made.Lines = append(made.Lines, campaigns.Line{When: text.WhenTime{Day: text.DayOf(at), Clock: text.Clock(at.Hour()*60 + at.Minute())}})
	}
	for _, p := range c.Posts {
		made.Items = append(made.Items, campaigns.Item{Key: campaigns.PostKey(p), Post: p})
	}
	return campaigns.New(made)
}

// campaignPlugin returns what runs the campaigns of the demo; nil when there are none.
func (s *Settings) campaignPlugin() (*plugin.Plugin, error) {
	if len(s.Campaigns) == 0 {
		return nil, nil
	}
	p, of := plugin.New(plugin.Config{Budget: &campaigns.Budget{Apart: demoApart}}), map[event.Account][]*campaigns.Campaign{}
	for i := range s.Campaigns {
		c, err := s.Campaigns[i].compile()
		if err != nil {
			return nil, err
		}
		of[c.Account] = append(of[c.Account], c)
	}
	for account, all := range of {
		if err := p.Use(account, all); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// botAccounts returns the accounts of the demo's bot.
func (s *Settings) botAccounts() []bot.Account {
	all := []bot.Account{{
		Name: demoAccount, BaseURL: s.BaseURL, Credentials: session.Credentials{Email: demoEmail, Password: demoPassword},
	}}
	seen := map[event.Account]bool{}
	names := slices.Clone(s.Edited)
	for _, c := range s.Campaigns {
		names = append(names, c.Account)
	}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			all = append(all, bot.Account{
				Name: name, BaseURL: s.BaseURL, PollInterval: demoShopPolls,
				Credentials: session.Credentials{Email: shopEmail(name), Password: demoPassword},
			})
		}
	}
	return all
}

func shopEmail(name event.Account) string { return string(name) + "@emulator.localhost" }

// openShops makes the accounts, the posts and the zones of the demo's campaigns. Their first slots are spread over a minute, or over
// the time that there is, and begin soon.
func (st *stage) openShops(d Demo) error {
	if d.Campaigns == 0 {
		return nil
	}
	if err := os.Setenv("ZONEINFO", st.zonesFolder()); err != nil { // the bot finds the zones there, and who reads what it has stored
		return fmt.Errorf("say where the time zones of the demo are: %w", err)
	}
	spread := min(d.Lasts, time.Minute)
	if d.Lasts > time.Minute && d.Lasts < 2*time.Minute {
		spread = d.Lasts - time.Minute // each has two slots
	}
	begin := time.Now().Add(demoLead(d.Campaigns)).Truncate(time.Second)
	st.planClocks(begin)
	author := st.platform.AddPerson(emulator.Person{Username: "partner"})
	st.shops = map[event.Account]platform.UserID{}
	for i := range d.Campaigns {
		name := event.Account(fmt.Sprintf(demoShop, 0))
		if !d.hasChats() {
			name = event.Account(fmt.Sprintf(demoShop, i))
		}
		account, open := st.shops[name]
		if !open {
			account = st.platform.AddAccount(emulator.Person{Username: string(name)}, shopEmail(name), demoPassword)
			st.shops[name] = account
		}
		c := Campaign{
			ID: fmt.Sprint("campaign-", i), Account: name, Kind: shopTurns[i%len(shopTurns)],
			Shown: open, First: begin.Add((time.Duration(i) * spread / time.Duration(d.Campaigns)).Truncate(time.Second)),
		}
		for at := c.First; at.Before(begin.Add(d.Lasts)); at = at.Add(time.Minute) {
			switch c.Slots++; {
			case !c.isRenewal():
				c.Posts = append(c.Posts, st.platform.Post(author, fmt.Sprintf("for %s, %d", c.ID, c.Slots)))
			case c.Slots == 1: // the account's own, of long ago, which may come again soon; somebody has reposted it by hand before
				c.Posts = append(c.Posts, st.platform.PostedAt(account, "of "+c.ID, time.Now().Add(-time.Hour)))
				st.platform.Repost(account, c.Posts[0])
				st.platform.PostedAt(account, "since then, of "+c.ID, time.Now().Add(-demoBefore)) // so that it shows since when, and its gap is over
			}
		}
		if err := c.writeZone(st.zonesFolder()); err != nil {
			return err
		}
		st.campaigns = append(st.campaigns, c)
	}
	return st.openEdited(begin)
}

// zonesFolder is where a demo with campaigns has its time zones.
func (st *stage) zonesFolder() string { return filepath.Join(st.dir, "zones") }

// writeZone writes the zone of the campaign, in the form of RFC 9636: one offset, for ever.
func (c *Campaign) writeZone(dir string) error {
	path := filepath.Join(dir, filepath.FromSlash(c.zoneName()))
	data := append([]byte("TZif"), make([]byte, 16)...) // version 1
	for _, count := range []uint32{0, 0, 0, 0, 1, 5} {  // of offsets, and of letters of their names
		data = binary.BigEndian.AppendUint32(data, count)
	}
	data = binary.BigEndian.AppendUint32(data, uint32(c.offset()))
	data = append(append(data, 0, 0), "demo\x00"...)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write a time zone for the demo: %w", err)
	}
	return nil
}
