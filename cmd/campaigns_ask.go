package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"github.com/nectar-bot/nectar/platform"
	"github.com/spf13/cobra"
)

// What people ask of the campaigns of a bot. It is looked at here first, by what is stored, so that what makes no sense is said at
// once; the bot has the last word.

// campaignAsk is something that people ask of a campaign.
type campaignAsk struct {
	name, args, short, long string
	example                 string
	wants                   string // what to name
	check                   func(ctx context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error)
	until                   bool
}

// campaignAsks are all of them but apply.
func campaignAsks() []campaignAsk {
	return []campaignAsk{
		{
			name: "pause", args: "ID", short: "Let the slots of a campaign pass", example: "spring-menu --until 2027-03-20", wants: "one campaign", until: true, check: askPause,
			long: `Pause lets the slots of a campaign pass until nectar campaigns resume, or until the day or
moment of --until. What they would have published is not caught up. What is decided and
has not left is taken back, what is prepared stays; what has left is finished: a post
that was taken back is reposted.`,
		},
		{
			name: "resume", args: "ID", short: "Let a paused campaign go on", example: "spring-menu", wants: "one campaign", check: askResume,
			long: `Resume lets a campaign go on that nectar campaigns pause has stopped, or that has ended by
itself (stop_if). Slots that have passed are over.`,
		},
		{
			name: "skip", args: "SLOT", short: "Take a single slot out", example: "spring-menu@2027-03-16T09:30", wants: "one slot, like spring-menu@2027-03-16T09:30", check: askSkip,
			long: `Skip takes one slot out: it stays empty, and the turn of its post is over with it, so that
nothing else shifts. What was prepared for it is withdrawn.`,
		},
		{
			name: "unskip", args: "SLOT", short: "Put a slot back that was taken out", example: "spring-menu@2027-03-16T09:30", wants: "one slot, like spring-menu@2027-03-16T09:30", check: askUnskip,
			long: `Unskip puts a slot back that nectar campaigns skip has taken out, as long as it is to come.`,
		},
		{
			name: "undo", args: "ID POST", short: "Take a repost back", example: "spring-menu 48121", wants: "a campaign and a post, like spring-menu 48121", check: askUndo,
			long: `Undo takes the repost of a post back on the platform, and what is prepared of it. The post
stays out until nectar campaigns allow lets it come again.`,
		},
		{
			name: "allow", args: "ID POST", short: "Let a post come again that is out", example: "spring-menu 48121", wants: "a campaign and a post, like spring-menu 48121", check: askAllow,
			long: `Allow lets a post come again that is out, since somebody took its repost back by hand, or
since it could not be seen. nectar campaigns show ID lists those that are out.`,
		},
	}
}

func (c campaignAsk) command(sh shell, f *deskFlags) *cobra.Command {
	var wait time.Duration
	until := ""
	cmd := &cobra.Command{
		Use: c.name + " " + c.args, Short: c.short, Long: c.long + "\n\nWithout a running bot it is done when one starts.",
		Example: "  nectar campaigns " + c.name + " " + c.example,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != len(strings.Fields(c.args)) {
				lists := "nectar campaigns"
				if c.args == "SLOT" {
					lists = "nectar plan"
				}
				return badUsage(cmd, fmt.Errorf("name %s; %s lists them", c.wants, lists))
			}
			return nil
		},
	}
	if strings.HasPrefix(c.args, "ID") {
		cmd.ValidArgsFunction = sh.completeCampaigns(f)
	}
	cmd.RunE = sh.withCampaigns(f, func(ctx context.Context, p *planner, all []*planAccount, args []string) error {
		if until != "" {
			args = append(args, until)
		}
		account, said, err := c.check(ctx, p, all, args)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		q := event.Request{Key: event.Own(account.name), Wish: event.WishTell, Subject: "campaigns/" + c.name, Text: said}
		return p.decide(ctx, wait, []decision{{q, strings.Join(strings.Fields(said)[:len(strings.Fields(c.args))], " ")}})
	})
	if c.until {
		cmd.Flags().StringVar(&until, "until", "", "until then: a `time` like 2027-03-20, 2027-03-20T09:00 or 3d")
	}
	waitFlag(cmd, &wait)
	asFlag(cmd, f)
	return cmd
}

// running tells whether a bot runs: what is stored is then how things stand. Otherwise something may wait that changes them.
func (p *planner) running() bool {
	runs, err := p.Running()
	return err == nil && runs
}

func askPause(_ context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error) {
	a, err := campaignIn(all, args[0])
	if err != nil {
		return nil, "", err
	}
	c, m := a.campaign(args[0]), a.Memories[args[0]]
	switch {
	case c == nil:
		return nil, "", fmt.Errorf("%s is in no file any more: nothing of it comes", args[0])
	case m.Ended != nil:
		return nil, "", fmt.Errorf("%s has ended: %s", args[0], plain(m.Ended.Why, 160))
	case m.Paused != nil && m.Paused.Until.IsZero() && len(args) == 1 && p.running():
		return nil, "", fmt.Errorf("%s is paused already, since %s", args[0], when(m.Paused.At))
	}
	if len(args) == 1 {
		return a, args[0], nil
	}
	until, err := untilOf(args[1], c.Zone, p.now)
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
			return at, fmt.Errorf("--until %s: write it like 2027-03-20T09:00", plain(written, 40))
		}
		at = d.At(c, zone)
	} else {
		var d time.Duration
		if (*span)(&d).Set(written) != nil {
			return at, fmt.Errorf("--until %s: write a day like 2027-03-20, a moment like 2027-03-20T09:00, or a time like 3d", plain(written, 40))
		}
		at = now.Add(d)
	}
	if !at.After(now) {
		return at, fmt.Errorf("--until %s: that is over already", plain(written, 40))
	}
	return at, nil
}

func askResume(_ context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error) {
	a, err := campaignIn(all, args[0])
	if err != nil {
		return nil, "", err
	}
	c, m := a.campaign(args[0]), a.Memories[args[0]]
	switch {
	case c == nil:
		return nil, "", fmt.Errorf("%s is in no file any more: nothing of it comes", args[0])
	case m.Ended != nil: // it goes on all the same
	case m.Paused == nil && a.World.Paused != nil:
		return nil, "", fmt.Errorf("the whole account is paused: nectar resume --account %s lets it go on", a.name)
	case m.Paused == nil && c.Status == campaigns.Paused:
		return nil, "", fmt.Errorf("%s is paused in its file: write another status there", args[0])
	case m.Paused == nil && p.running():
		return nil, "", fmt.Errorf("%s is not paused", args[0])
	}
	return a, args[0], nil
}

func askSkip(ctx context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error) {
	s, err := p.findSlot(ctx, all, args[0])
	if err != nil {
		return nil, "", err
	}
	r := &s.row
	switch _, out := s.account.Memories[r.id.Campaign].Skips[r.id]; {
	case out:
		return nil, "", fmt.Errorf("%s is taken out already", r.id)
	case r.state == slotGoing: // as long as it has not left
	case r.turn != "" || r.minute.Before(p.now):
		return nil, "", fmt.Errorf("%s is over: %s", r.id, r.becameOf())
	}
	return s.account, r.id.String(), nil
}

func askUnskip(ctx context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error) {
	s, err := p.findSlot(ctx, all, args[0])
	if err != nil {
		return nil, "", err
	}
	switch _, out := s.account.Memories[s.row.id.Campaign].Skips[s.row.id]; {
	case s.row.turn != "":
		return nil, "", fmt.Errorf("%s is over: %s", s.row.id, s.row.becameOf())
	case !out && p.running():
		return nil, "", fmt.Errorf("%s was not taken out", s.row.id)
	}
	return s.account, s.row.id.String(), nil
}

// askPost finds a post of a campaign.
func askPost(all []*planAccount, args []string) (*planAccount, campaignPost, error) {
	a, err := campaignIn(all, args[0])
	if err != nil {
		return nil, campaignPost{}, err
	}
	written := args[1][strings.LastIndexByte(args[1], '/')+1:] // the address of a post ends with its number
	n, err := strconv.ParseInt(written, 10, 64)
	if err != nil || n <= 0 {
		return nil, campaignPost{}, fmt.Errorf("%s is no post: write its number, like 48121", plain(args[1], 60))
	}
	key := campaigns.PostKey(platform.PostID(n))
	var known []string
	for _, x := range a.posts(args[0]) {
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
	if near := text.Nearest(written, known); near != "" {
		problem += ": did you mean " + near + "?"
	}
	return nil, campaignPost{}, errors.New(problem)
}

func askUndo(_ context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error) {
	a, x, err := askPost(all, args)
	if err != nil {
		return nil, "", err
	}
	if !a.Uses.Posts[campaigns.PostKey(x.Post)].Reposted && !a.open(x.Post) && p.running() {
		return nil, "", fmt.Errorf("%d is not reposted, as far as the bot knows", x.Post)
	}
	return a, fmt.Sprintf("%s %d", args[0], x.Post), nil
}

// open tells whether something of a post is prepared, or on its way.
func (a *planAccount) open(post platform.PostID) bool {
	for _, m := range a.Memories {
		for _, e := range m.Book {
			if e.Post == post && e.State.Open() {
				return true
			}
		}
	}
	return false
}

func askAllow(_ context.Context, p *planner, all []*planAccount, args []string) (*planAccount, string, error) {
	a, x, err := askPost(all, args)
	switch {
	case err != nil:
		return nil, "", err
	case x.Out == string(campaigns.Gone):
		return nil, "", fmt.Errorf("%d was deleted: it cannot come again", x.Post)
	case x.Out == "" && p.running():
		return nil, "", fmt.Errorf("%d is not out", x.Post)
	}
	return a, fmt.Sprintf("%s %d", args[0], x.Post), nil
}
