package plan

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/internal/textfile"
	"github.com/nectar-bot/nectar/platform"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// What people ask of the campaigns of a bot. It is looked at here first, by what is stored, so that what makes no sense is said at
// once; the bot has the last word.

// CampaignAsk is something that people ask of a campaign.
type CampaignAsk struct {
	Name, Args, Short, Long string
	Example                 string
	Wants                   string // what to name
	Check                   func(ctx context.Context, p *Planner, all []*Account, args []string) (*Account, string, error)
	Until, Clock            bool
	Shows                   func(ctx context.Context, p *Planner, a *Account, id string) error // what is lost by it, before people are asked; nil: they are not
}

// CampaignAsks are all of them but apply.
func CampaignAsks() []CampaignAsk {
	return []CampaignAsk{
		{
			Name: "pause", Args: "ID", Short: "Let the slots of a campaign pass", Example: "spring-menu --until 2027-03-20", Wants: "one campaign", Until: true, Check: askPause,
			Long: `Pause lets the slots of a campaign pass until nectar campaigns resume, or until the day or
moment of --until. What they would have published is not caught up. What is decided and
has not left is taken back, what is prepared stays; what has left is finished: a post
that was taken back is reposted.`,
		},
		{
			Name: "resume", Args: "ID", Short: "Let a paused campaign go on", Example: "spring-menu", Wants: "one campaign", Check: askResume,
			Long: `Resume lets a campaign go on that nectar campaigns pause has stopped, or that has ended by
itself (stop_if). Slots that have passed are over.`,
		},
		{
			Name: "skip", Args: "SLOT", Short: "Take a single slot out", Example: "spring-menu@2027-03-16T09:30", Wants: "one slot, like spring-menu@2027-03-16T09:30", Check: askSkip,
			Long: `Skip takes one slot out: it stays empty, and the turn of its post is over with it, so that
nothing else shifts. What was prepared for it is withdrawn.`,
		},
		{
			Name: "unskip", Args: "SLOT", Short: "Put a slot back that was taken out", Example: "spring-menu@2027-03-16T09:30", Wants: "one slot, like spring-menu@2027-03-16T09:30", Check: askUnskip,
			Long: `Unskip puts a slot back that nectar campaigns skip has taken out, as long as it is to come.`,
		},
		{
			Name: "move", Args: "SLOT TO", Short: "Give a single slot another minute", Example: "spring-menu@2027-03-16T09:30 2027-03-17T10:15",
			Wants: "a slot, and its new time, like spring-menu@2027-03-16T09:30 2027-03-17T10:15", Check: askMove,
			Long: `Move gives one slot another minute, by the clocks of its campaign: 2027-03-17T10:15, or
10:15 of the same day; back is its own time. The slot keeps its name. What was approved for
it is asked for again, since people have approved the minute, too. Distances and limits
count at the new minute: nectar plan shows what comes.`,
		},
		{
			Name: "undo", Args: "ID POST", Short: "Take a repost back", Example: "spring-menu 48121", Wants: "a campaign and a post, like spring-menu 48121", Check: askUndo,
			Long: `Undo takes the repost of a post back on the platform, and what is prepared of it. The post
stays out until nectar campaigns allow lets it come again.`,
		},
		{
			Name: "allow", Args: "ID POST", Short: "Let a post come again that is out", Example: "spring-menu 48121", Wants: "a campaign and a post, like spring-menu 48121", Clock: true, Check: askAllow,
			Long: `Allow lets a post come again that is out, since somebody took its repost back by hand, or
since it could not be seen. nectar campaigns show ID lists those that are out.

With --clock, and without ID and POST, it lets the slots of all campaigns go by the clock
of the bot's machine, although that is not the platform's, until the difference changes
by more than a minute. Use it when it is the platform's clock that is wrong.`,
		},
		{
			Name: "forget", Args: "ID", Short: "Delete the book of a campaign that is in no file any more", Example: "spring-menu", Wants: "one campaign", Check: askForget, Shows: showForgotten,
			Long: `Forget deletes the book of a campaign, and what is remembered of it: what was published
when, with its words, its address and who approved it, is kept until then. It shows how
much that is, and asks; --yes does not ask. nectar campaigns show ID --csv FILE keeps a
copy before. The campaign has to be out of its file, and nectar campaigns apply done.

When its posts came last is still known, so that other campaigns keep their gap, and so
is what counts for the budget. A campaign that gets the id later begins anew: its
whole_campaign counts from 0. What stands in nectar outbox and nectar events goes by
itself, after 90 days or what NECTAR_RETENTION says.`,
		},
	}
}

// isRunning reports whether a bot runs: what is stored is then how things stand. Otherwise something may wait that changes them.
func (p *Planner) isRunning() bool {
	runs, err := p.Running()
	return err == nil && runs
}

// askCampaign finds a campaign that is in force.
func askCampaign(all []*Account, id string) (*Account, *campaigns.Campaign, campaigns.Memory, error) {
	a, err := CampaignIn(all, id)
	if err != nil {
		return nil, nil, campaigns.Memory{}, err
	}
	c := a.CampaignByID(id)
	if c == nil {
		err = fmt.Errorf("%s is in no file any more: nothing of it comes", id)
	}
	return a, c, a.Memories[id], err
}

func askPause(_ context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	a, c, m, err := askCampaign(all, args[0])
	switch {
	case err != nil:
		return nil, "", err
	case m.Ended != nil:
		return nil, "", fmt.Errorf("%s has ended: %s", args[0], print.PlainText(m.Ended.Why, 160))
	case m.Paused != nil && m.Paused.Until.IsZero() && len(args) == 1 && p.isRunning():
		return nil, "", fmt.Errorf("%s is paused already, since %s", args[0], print.TimeText(m.Paused.At))
	}
	if len(args) == 1 {
		return a, args[0], nil
	}
	until, err := untilOf(args[1], c.Zone, p.Now)
	if err != nil {
		return nil, "", err
	}
	return a, args[0] + " " + until.Add(time.Minute-1).In(c.Zone).Format("2006-01-02 15:04"), nil
}

// untilOf reads until when something is to last: a day, whose beginning is meant, a moment by the clocks of the zone, or a length
// of time from now on.
func untilOf(written string, zone *time.Location, now time.Time) (time.Time, error) {
	at := time.Time{}
	day, clock, timed := strings.Cut(strings.Replace(written, " ", "T", 1), "T")
	if d, err := text.ParseDay(day); err == nil {
		c, err := text.ParseClock(clock)
		if timed && err != nil {
			return at, fmt.Errorf("--until %s: write it like 2027-03-20T09:00", print.PlainText(written, 40))
		}
		at = d.At(c, zone)
	} else {
		var d time.Duration
		if (*cli.Span)(&d).Set(written) != nil {
			return at, fmt.Errorf("--until %s: write a day like 2027-03-20, a moment like 2027-03-20T09:00, or a time like 3d", print.PlainText(written, 40))
		}
		at = now.Add(d)
	}
	if !at.After(now) {
		return at, fmt.Errorf("--until %s: that is over already", print.PlainText(written, 40))
	}
	return at, nil
}

func askResume(_ context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	a, c, m, err := askCampaign(all, args[0])
	switch {
	case err != nil:
		return nil, "", err
	case m.Ended != nil: // it goes on all the same
	case m.Paused == nil && a.AccountFacts.Paused != nil:
		return nil, "", fmt.Errorf("the whole account is paused: nectar resume --account %s lets it go on", a.Name)
	case m.Paused == nil && c.Status == campaigns.Paused:
		return nil, "", fmt.Errorf("%s is paused in its file: write another status there", args[0])
	case m.Paused == nil && p.isRunning():
		return nil, "", fmt.Errorf("%s is not paused", args[0])
	}
	return a, args[0], nil
}

func askSkip(ctx context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	s, err := p.FindSlot(ctx, all, args[0])
	if err != nil {
		return nil, "", err
	}
	r := &s.Row
	switch _, out := s.Account.Memories[r.ID.Campaign].Skips[r.ID]; {
	case out:
		return nil, "", fmt.Errorf("%s is taken out already", r.ID)
	case r.State == SlotGoing: // as long as it has not left
	case r.Turn != "" || r.Minute.Before(s.Account.AccountFacts.TrueTime(p.Now)):
		return nil, "", fmt.Errorf("%s is over: %s", r.ID, r.becameOf())
	}
	return s.Account, r.ID.String(), nil
}

func askMove(ctx context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	s, err := p.FindSlot(ctx, all, args[0])
	if err != nil {
		return nil, "", err
	}
	said := s.Row.ID.String() + " " + args[1]
	if s.Row.Turn != "" {
		return nil, "", fmt.Errorf("%s is over: %s", s.Row.ID, s.Row.becameOf())
	}
	// As the bot would answer, by what is stored: so what makes no sense is said at once.
	stored := plugin.Stored{Account: s.Account.Account}
	q := event.Request{Key: event.Own(s.Account.Name), Wish: event.WishTell, Subject: "campaigns/move", Text: said}
	if _, seen := plugin.Foresee(stored, s.Account.Name, []event.Request{q}, p.Now); !seen[0].Counted {
		return nil, "", errors.New(seen[0].Says)
	}
	return s.Account, said, nil
}

func askUnskip(ctx context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	s, err := p.FindSlot(ctx, all, args[0])
	if err != nil {
		return nil, "", err
	}
	switch _, out := s.Account.Memories[s.Row.ID.Campaign].Skips[s.Row.ID]; {
	case s.Row.Turn != "":
		return nil, "", fmt.Errorf("%s is over: %s", s.Row.ID, s.Row.becameOf())
	case !out && p.isRunning():
		return nil, "", fmt.Errorf("%s was not taken out", s.Row.ID)
	}
	return s.Account, s.Row.ID.String(), nil
}

// askPost finds a post of a campaign.
func askPost(all []*Account, args []string) (*Account, campaignPost, error) {
	a, err := CampaignIn(all, args[0])
	if err != nil {
		return nil, campaignPost{}, err
	}
	written := args[1][strings.LastIndexByte(args[1], '/')+1:] // the address of a post ends with its number
	n, err := strconv.ParseInt(written, 10, 64)
	if err != nil || n <= 0 {
		return nil, campaignPost{}, fmt.Errorf("%s is no post: write its number, like 48121", print.PlainText(args[1], 60))
	}
	key := campaigns.PostKey(platform.PostID(n))
	var known []string
	for _, x := range a.postRows(args[0]) {
		if x.Post == platform.PostID(n) {
			return a, x, nil
		}
		if x.Post != 0 {
			known = append(known, x.Name)
		}
	}
	if use, is := a.Uses.Posts[key]; is { // it was found at run time
		x := campaignPost{Post: platform.PostID(n), Name: strconv.FormatInt(n, 10), Last: use.Last}
		if use.Out != nil {
			x.Out, x.Since, x.Until = string(use.Out.Why), use.Out.Seen, use.Out.Until
		}
		return a, x, nil
	}
	problem := fmt.Sprintf("%s has no post %d", args[0], n)
	if near := textfile.NearestWord(written, known); near != "" {
		problem += ": did you mean " + near + "?"
	}
	return nil, campaignPost{}, errors.New(problem)
}

func askUndo(_ context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	a, x, err := askPost(all, args)
	if err != nil {
		return nil, "", err
	}
	if !a.Uses.Posts[campaigns.PostKey(x.Post)].Reposted && !a.open(x.Post) && p.isRunning() {
		return nil, "", fmt.Errorf("%d is not reposted, as far as the bot knows", x.Post)
	}
	return a, fmt.Sprintf("%s %d", args[0], x.Post), nil
}

// open reports whether something of a post is prepared, or on its way.
func (a *Account) open(post platform.PostID) bool {
	for _, m := range a.Memories {
		for _, e := range m.Book {
			if e.Post == post && e.State.Open() {
				return true
			}
		}
	}
	return false
}

func askAllow(_ context.Context, p *Planner, all []*Account, args []string) (*Account, string, error) {
	a, x, err := askPost(all, args)
	switch {
	case err != nil:
		return nil, "", err
	case x.Out == string(campaigns.Gone):
		return nil, "", fmt.Errorf("%d was deleted: it cannot come again", x.Post)
	case x.Out == "" && p.isRunning():
		return nil, "", fmt.Errorf("%d is not out", x.Post)
	}
	return a, fmt.Sprintf("%s %d", args[0], x.Post), nil
}
