package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// dated is somebody for whom the bot plans messages, posts and reposts, each with a time from which and one until which
// it may leave, of some seconds or of days. Some wait for an approval, which may be given for a while; some are held; some are
// ended by the handler; and people stop the rule that decides all of it, and let it go on. A judge at the wire forbids
// each request that leaves outside of its time, in whatever incarnation; what has days comes about.
type dated struct {
	s       *simulation
	planner platform.UserID

	posts, renewals []platform.PostID // to be reposted, and reposted anew, each once

	mu      sync.Mutex
	planned map[string]*datedPlan // by name
	wrong   []string              // at the wire

	said int
	over bool
	odd  []string // what was not as it should be, then
}

// datedPlan is something that is planned.
type datedPlan struct {
	name, how  string // how: plain, ask, held
	verb       event.Verb
	post       platform.PostID
	due, until time.Time
	approve    time.Time // until when
	key        string    // of its action, once that was decided
	ended      bool      // it may have been ended
	released   time.Time // when somebody approved it, in time
	decided    bool      // somebody has decided about it
	calls      int       // by which it has left
}

const (
	datedRule  = "dated"
	datedEnded = "ended by its guest"
	aLongTime  = 48 * time.Hour // for one of these everything comes about: other workloads let hours pass
)

func drawDated(dice *rand.Rand) []string {
	steps := make([]string, 12+dice.IntN(20))
	for i := range steps {
		what := []string{"plan plain", "plan plain", "plan plain", "plan ask", "plan ask", "plan held", "desk", "desk", "end", "pause", "goon"}[dice.IntN(11)]
		if how, ok := strings.CutPrefix(what, "plan "); ok {
			verb := []string{"message", "post", "repost", "renew"}[dice.IntN(4)]
			due := []time.Duration{0, time.Second, 10 * time.Second, 40 * time.Second}[dice.IntN(4)]
			window := []time.Duration{2 * time.Second, 10 * time.Second, 40 * time.Second, 90 * time.Second, aLongTime, aLongTime}[dice.IntN(6)]
			what = fmt.Sprintf("plan %s %s %v %v", how, verb, due, window)
		}
		steps[i] = what
	}
	return steps
}

func newDated(s *simulation) workload { return &dated{s: s, planned: map[string]*datedPlan{}} }

func (g *dated) begin() {
	g.planner = g.s.platform.AddPerson(emulator.Person{Username: "guest-planner"})
	for i := range 32 {
		g.posts = append(g.posts, g.s.platform.Post(g.planner, fmt.Sprint("for a repost ", i)))
		g.renewals = append(g.renewals, g.s.platform.Post(g.planner, fmt.Sprint("for a renewal ", i)))
		g.s.platform.Repost(g.s.account, g.renewals[i])
	}
}

func (g *dated) configure(*bot.Config) {}

func (g *dated) routes() []bot.Route {
	return []bot.Route{
		bot.On("planner", bot.AnyMessage().If(isFrom(g.planner)), func(ctx context.Context, t *bot.Turn, m event.Message) error {
			verb, name, _ := strings.Cut(m.Text, " ")
			g.mu.Lock()
			p := *g.planned[name]
			g.mu.Unlock()
			if verb == "end" {
				if p.key == "" {
					return nil
				}
				_, err := t.End(ctx, p.key, datedEnded)
				return err
			}
			return g.decide(t, &p)
		}),
	}
}

// decide does what is planned, as often as it has to be decided anew: the same each time.
func (g *dated) decide(t *bot.Turn, p *datedPlan) error {
	options := []bot.Option{bot.In(p.due.Sub(t.Now)), bot.Before(p.until), engine.Decided(datedRule, time.Time{}), bot.As(event.Scheduled)}
	switch p.how {
	case "held":
		options = append(options, bot.Held("a look at it"))
	case "ask":
		options = append(options, bot.Awaits("needs approval", event.Approval{Expires: p.approve, Effects: event.Effects{Labels: []string{p.name}}}))
	}
	g.mu.Lock()
	g.planned[p.name].key = t.Trigger.ID() + "/planner/0"
	g.mu.Unlock()
	switch p.verb {
	case event.VerbMessage:
		return t.Message(p.name, options...)
	case event.VerbPost:
		return t.Publish(p.name, options...)
	case event.VerbRenew:
		t.Renew(p.post, options...)
		return nil
	default:
		t.Repost(p.post, options...)
		return nil
	}
}

func (g *dated) do(ctx context.Context, what string) error {
	g.said++
	words := strings.Fields(what)
	switch words[0] {
	case "desk":
		return g.s.inspect(ctx, func(d inspect.Inspector) error { return g.approve(ctx, d) })
	case "pause", "goon":
		return g.s.inspect(ctx, func(d inspect.Inspector) error {
			wish := map[string]event.Wish{"pause": event.WishPause, "goon": event.WishGoOn}[words[0]]
			_, err := d.Ask(ctx, event.Request{Key: event.Key{Account: accountName}, Wish: wish, Action: datedRule})
			return err
		})
	case "end":
		g.end()
		return nil
	}
	in, _ := time.ParseDuration(words[3])
	window, _ := time.ParseDuration(words[4])
	p := &datedPlan{name: fmt.Sprintf("dated.%d", g.said), how: words[1], verb: event.Verb(words[2])}
	p.due = time.UnixMicro(time.Now().Add(in).UnixMicro())
	p.until = p.due.Add(window)
	p.approve = p.due.Add(window / 2)
	switch p.verb {
	case event.VerbRepost:
		p.post, g.posts = g.posts[0], g.posts[1:]
	case event.VerbRenew:
		p.post, g.renewals = g.renewals[0], g.renewals[1:]
	default:
	}
	g.mu.Lock()
	g.planned[p.name] = p
	g.mu.Unlock()
	g.s.platform.Say(g.planner, g.s.account, "plan "+p.name)
	return nil
}

// all returns copies of what is planned, by name.
func (g *dated) all() []datedPlan {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []datedPlan
	for _, p := range g.planned {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(x, y datedPlan) int { return strings.Compare(x.name, y.name) })
	return all
}

// end wants something to be ended that is planned.
func (g *dated) end() {
	all := g.all()
	if len(all) == 0 {
		return
	}
	drawn := g.s.dice.draw("end")
	p := all[drawn.n(int64(len(all)))]
	g.mu.Lock()
	g.planned[p.name].ended = true
	g.mu.Unlock()
	g.s.platform.Say(g.planner, g.s.account, "end "+p.name)
}

// approve decides about what waits for a person: mostly it is released.
func (g *dated) approve(ctx context.Context, d inspect.Inspector) error {
	for _, p := range g.all() {
		if p.key == "" || p.decided || p.how == "plain" || !g.over && g.s.dice.draw("hesitate "+p.name).x%2 == 0 {
			continue
		}
		a, ok, err := d.Action(ctx, accountName, p.key)
		if err != nil || !ok || a.State != event.StateHeld || a.Why == reason.PausedBy(datedRule) {
			if err != nil {
				return err
			}
			continue
		}
		q := event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: p.key, By: "guest"}
		if g.s.dice.draw("drop "+p.name).x%5 == 0 {
			q.Wish = event.WishDrop
		}
		asked, err := d.Ask(ctx, q)
		if err != nil {
			return err
		}
		at := asked[0].AskedAt
		g.mu.Lock()
		now := g.planned[p.name]
		if now.decided = true; q.Wish == event.WishRelease && at.Before(p.until) && (p.how != "ask" || !at.After(p.approve)) {
			now.released = at
		}
		g.mu.Unlock()
	}
	return nil
}

func (g *dated) knows(e emulator.Entry) bool {
	return e.From == g.planner || e.To == g.planner || strings.HasPrefix(e.Text, "dated.")
}

// calls forbids what leaves outside of its time, or without an approval.
func (g *dated) calls(r *http.Request, body string) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for _, p := range g.planned {
		if !p.leaves(path.Base(r.URL.Path), form) {
			continue
		}
		if p.calls++; p.verb == event.VerbRenew && p.calls > 1 { // what it has begun it ends
			continue
		}
		switch {
		case now.Before(p.due):
			g.wrong = append(g.wrong, fmt.Sprintf("%s leaves %v too early", p.name, p.due.Sub(now)))
		case !now.Before(p.until):
			g.wrong = append(g.wrong, fmt.Sprintf("%s leaves %v after its time", p.name, now.Sub(p.until)))
		case p.how != "plain" && p.released.IsZero():
			g.wrong = append(g.wrong, fmt.Sprintf("%s leaves, and nobody has released it in time", p.name))
		}
	}
}

// leaves reports whether a call does what is planned.
func (p *datedPlan) leaves(endpoint string, form url.Values) bool {
	switch p.verb {
	case event.VerbMessage:
		return endpoint == "send_message" && form.Get("message") == p.name
	case event.VerbPost:
		return endpoint == "publish_post" && form.Get("post_text") == p.name
	default:
		return endpoint == "publication_repost" && form.Get("post_id") == strconv.FormatInt(int64(p.post), 10)
	}
}

func (g *dated) hears(*http.Request, []byte) {}

// arrived counts how often what is planned came about. A renewal takes a repost back, and makes it again.
func (p *datedPlan) arrived(mine []emulator.Entry) (n int) {
	if p.verb == event.VerbRenew {
		flips := ""
		for _, e := range mine {
			if e.ByAPI && e.Post == p.post && (e.Kind == emulator.Reposted || e.Kind == emulator.Unreposted) {
				flips += map[bool]string{true: "+", false: "-"}[e.Kind == emulator.Reposted]
			}
		}
		return map[string]int{"": 0, "-": 0, "-+": 1}[flips] + 2*strings.Count(flips, "+-")
	}
	for _, e := range mine {
		if e.Kind == emulator.Arrived && p.verb == event.VerbMessage && e.Text == p.name ||
			e.Kind == emulator.Published && p.verb == event.VerbPost && e.Text == p.name ||
			(e.Kind == emulator.Reposted || e.Kind == emulator.Unreposted) && p.verb == event.VerbRepost && e.Post == p.post {
			n++
		}
	}
	return n
}

// judge looks at what came about: nothing twice, and what has a long time for sure, unless somebody did not want it.
func (g *dated) judge(mine []emulator.Entry) (wrong []string) {
	g.mu.Lock()
	wrong = append(wrong, g.wrong...)
	g.mu.Unlock()
	for _, p := range g.all() {
		n := p.arrived(mine)
		wanted := !p.ended && p.until.Sub(p.due) == aLongTime && (p.how == "plain" || !p.released.IsZero())
		switch {
		case n > 1:
			wrong = append(wrong, fmt.Sprintf("%s came about %d times", p.name, n))
		case n == 0 && wanted:
			wrong = append(wrong, "lost: "+p.name)
		}
	}
	return append(wrong, g.odd...)
}

// after lets the rule go on, decides about what is left, lets the time of what is short pass, and compares what is kept
// with what came about.
func (g *dated) after(ctx context.Context) error {
	if err := g.do(ctx, "goon"); err != nil {
		return err
	}
	time.Sleep(4 * time.Minute)
	g.over = true
	if err := g.do(ctx, "desk"); err != nil {
		return err
	}
	time.Sleep(2 * time.Minute)
	entries := g.s.platform.Ledger().Since(0)
	return g.s.inspect(ctx, func(d inspect.Inspector) error {
		c, err := d.Conversation(ctx, event.Key{Account: accountName, Peer: g.planner})
		if err != nil {
			return err
		}
		for _, p := range g.all() {
			a, ok, err := d.Action(ctx, accountName, p.key)
			if err != nil {
				return err
			}
			if !ok {
				g.odd = append(g.odd, "nobody knows of "+p.name)
				continue
			}
			g.compare(&p, &a, p.arrived(entries), slices.Contains(c.Labels, p.name))
		}
		return nil
	})
}

// compare tells what is wrong about how something ended.
func (g *dated) compare(p *datedPlan, a *event.Action, arrived int, label bool) {
	late := a.Why.Code() == reason.Late
	for _, x := range []struct {
		wrong bool
		what  string
	}{
		{!a.State.Final(), "still " + string(a.State)},
		{(a.State == event.StateDone) != (arrived == 1), "came about, or not"},
		{late && a.EndedAt.Before(p.until), "too late before its time"},
		{late && p.until.Sub(p.due) == aLongTime, "too late within its time"},
		{a.State == event.StateWithdrawn && a.Reason == datedEnded && !p.ended, "ended by nobody"},
		{arrived == 1 && p.how == "ask" && !label, "without what waits beside it"},
		{label && p.released.IsZero(), "refused, with what waits beside it"},
	} {
		if x.wrong {
			g.odd = append(g.odd, fmt.Sprintf("%s (%s): %s: %s (%s), %d times, label %v", p.name, p.how, x.what, a.State, a.Reason, arrived, label))
		}
	}
}
