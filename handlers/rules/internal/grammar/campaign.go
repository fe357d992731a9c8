package grammar

import (
	"slices"

	"github.com/nectar-bot/nectar/handlers/internal/template"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
)

// Campaign is a plan of reposts or of own posts. What about:"-" stands at is not run by this version.
type Campaign struct {
	textfile.At
	ID        string                    `text:"id,required" about:"A short name that stays the same."`
	Name      string                    `text:"name" about:"What people call it."`
	Status    decision.Status           `text:"status" about:"It may be more careful than its file, never less."`
	Accounts  textfile.List[string]     `text:"account" about:"The account whose campaign it is, or several: [shop, cafe]. Needed where several accounts act by these files."`
	Do        Doing                     `text:"do,required" about:"repost, or publish."`
	Timezone  text.Zone                 `text:"timezone" about:"The slots are times on the wall there, also after the clocks change."`
	Starts    *text.Day                 `text:"starts,required" about:"The first day."`
	Ends      *LastDay                  `text:"ends,required" about:"The last day, included; or never, with a gap of at least 7d, limits → total, and stop_after or until_older."`
	Posts     []PlannedPost             `text:"posts" about:"What is reposted."`
	Texts     []PlannedText             `text:"texts" about:"What is published."`
	Slots     PlannedSlots              `text:"slots,required" about:"When: Tue 09:30; Mon-Fri 09:30; daily 09:30; or once: 2027-03-16 09:30. One with a post or text of its own: { at: 2027-03-16 09:30, post: LINK }."`
	Drafts    []Draft                   `text:"drafts" about:"Texts, or links to posts, that have no date yet: checked and shown, and never published."`
	Except    textfile.List[text.Dates] `text:"except" about:"Days on which the slots of the week do not come; those of a day do: 2026-12-25; 2027-08-01..2027-08-31; each year 12-24..01-06."`
	Jitter    Jitter                    `text:"jitter" about:"up to 12m: later only, drawn once."`
	Turn      Turns                     `text:"turn" about:"in_order, shuffle or least_used."`
	Repeat    *Repeat                   `text:"repeat" about:"How often each post comes again."`
	Limits    CampaignLimits            `text:"limits" about:"How often in all."`
	KeepApart text.Duration             `text:"keep_apart" about:"The least time from anything else this account publishes."`
	IfMissed  IfMissed                  `text:"if_missed" about:"skip, within 20m, or next_slot. skip unless written."`
	Approve   *Approve                  `text:"approve" about:"Who approves, and until when."`
	StopIf    []StopIf                  `text:"stop_if" about:"What ends the campaign at once."`
	Report    *Reporting                `text:"report" about:"Who is told how it went, and what comes."`
	Pictures  textfile.Node             `text:"pictures" about:"-"`
	TakeBack  textfile.Node             `text:"take_back" about:"-"`
	Picture   textfile.Node             `text:"picture" about:"-"`
	Comment   textfile.Node             `text:"comment" about:"-"`

	Account string // of Accounts, the one that it is looked at for; "" for none, and while it is for several

	places map[string]textfile.At // of what stands behind its keys
	behind int                    // how many accounts have each of its slots before this one
}

// PlannedText is a text to publish: its words alone, or with an id.
type PlannedText struct {
	textfile.At
	ID       string            `text:"id" about:"A short name that stays the same, whatever words the text gets. nectar check --fix writes one."`
	Text     template.Template `text:"text,required" about:"The words."`
	Picture  textfile.Node     `text:"picture" about:"-"`
	Comment  textfile.Node     `text:"comment" about:"-"`
	TakeBack textfile.Node     `text:"take_back" about:"-"`
}

// Draft is a text or a post that has no date yet: its words or its link alone, or a text with an id.
type Draft struct {
	textfile.At
	ID   string            `text:"id" about:"A short name of the text, which it keeps when it gets a date."`
	Text template.Template `text:"text" about:"The words."`
	Link string            `text:"link" about:"The address of the post."`
}

// PlannedSlots are the slots of a campaign. Several may be written at once: Mon-Fri 09:30.
type PlannedSlots []PlannedSlot

// PlannedSlot is when something happens, each week or once.
type PlannedSlot struct {
	textfile.At
	When text.WhenTime     `text:"at,required" about:"2027-03-16 09:30."`
	Post string            `text:"post" about:"The address of the post that comes then, and no other."`
	Text template.Template `text:"text" about:"The text that comes then, and no other."`
	ID   string            `text:"id" about:"A short name of the text, as texts have one."`

	Together int           // the same number for all that are written together, as in Mon-Fri 09:30
	Picture  textfile.Node `text:"picture" about:"-"`
	Comment  textfile.Node `text:"comment" about:"-"`
	TakeBack textfile.Node `text:"take_back" about:"-"`
}

// PlannedPost is a post to repost: a link, or a search at run time.
type PlannedPost struct {
	textfile.At
	Link      string          `text:"link" about:"The address of the post."`
	From      string          `text:"from" about:"Found at run time: a post of this person."`
	WithTag   string          `text:"with_tag" about:"With this hashtag."`
	NewerThan text.Duration   `text:"newer_than" about:"Younger than this at its slot. It is looked for a day before people have to approve it."`
	Take      string          `text:"take" about:"newest."`
	NotBefore *text.Day       `text:"not_before" about:"Not before this day."`
	Status    decision.Status `text:"status" about:"It may be more careful than its campaign."`
	Picture   textfile.Node   `text:"picture" about:"-"`
	Comment   textfile.Node   `text:"comment" about:"-"`
	TakeBack  textfile.Node   `text:"take_back" about:"-"`
}

// CampaignLimits say how often.
type CampaignLimits struct {
	textfile.At
	Total *text.Limit `text:"total" about:"2 per 1d."`
	Whole *int        `text:"whole_campaign" about:"How often in the whole campaign: 10."`
}

// Repeat says how often a post comes again.
type Repeat struct {
	textfile.At
	EachPost   Times         `text:"each_post" about:"3 times; of do: repost."`
	EachText   Times         `text:"each_text" about:"3 times; of do: publish."`
	Gap        text.Duration `text:"gap" about:"The same post not again within this time."`
	How        string        `text:"how" about:"undo_then_repost: on this network a second repost takes the first one back."`
	StopAfter  Times         `text:"stop_after" about:"20 times: then a post comes no more. For ends: never."`
	UntilOlder Age           `text:"until_older" about:"1y: a post that is older comes no more. For ends: never."`
}

// Approve says who approves.
type Approve struct {
	textfile.At
	Who      string  `text:"who,required" about:"A team of settings.yaml."`
	AtLeast  AtLeast `text:"at_least" about:"2h before."`
	IfNobody string  `text:"if_nobody" about:"skip: without approval it does not happen."`
}

// StopIf ends a campaign.
type StopIf struct {
	textfile.At
	Post    *StopPost    `text:"post" about:"deleted, or what its replies say."`
	Account *StopAccount `text:"account" about:"warnings: any."`
}

// StopAccount is what happens to the account.
type StopAccount struct {
	textfile.At
	Warnings string `text:"warnings" about:"any"`
}

// StopPost is what happens to a post.
type StopPost struct {
	textfile.At
	Deleted  bool
	Words    textfile.List[string] `text:"new_replies_with_word" about:"Words in replies."`
	MoreThan *text.Rate            `text:"more_than" about:"3 in 1h."`
}

// Reporting says who is told how it went.
type Reporting struct {
	textfile.At
	To    string         `text:"to,required" about:"A team of settings.yaml."`
	Every *text.WhenTime `text:"every,required" about:"Fri 17:00."`
}

// IsWeekly reports whether a slot has nothing of its own: something has to take turns.
func (c *Campaign) IsWeekly() bool {
	return len(c.Slots) == 0 || slices.ContainsFunc(c.Slots, func(s PlannedSlot) bool { return s.Post == "" && s.Text.String() == "" })
}
