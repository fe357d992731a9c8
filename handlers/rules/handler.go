package rules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nectar-bot/nectar/bot"
	botengine "github.com/nectar-bot/nectar/bot/engine"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules/decision"
	"github.com/nectar-bot/nectar/handlers/rules/internal/engine"
	"github.com/nectar-bot/nectar/internal/reason"
	"github.com/nectar-bot/nectar/platform"
)

// Handler lets a bot act by rules. Make it with NewHandler, and give it a Version with Use, also while
// the bot runs.
type Handler struct {
	force  inForce
	memory bot.Value[decision.Memory]
}

// NewHandler makes a handler that has no rules yet.
func NewHandler() *Handler {
	return &Handler{memory: bot.NewValue[decision.Memory](engine.MemoryPlugin, engine.MemoryName)}
}

// Use makes v the rules of all turns of accounts that begin from now on. Without accounts, it is for all accounts that have no
// rules of their own.
func (h *Handler) Use(v *Version, accounts ...event.Account) { h.force.putInForce(v, accounts) }

// Drop takes the rules of accounts out of force: they have gone.
func (h *Handler) Drop(accounts ...event.Account) { h.force.dropAccounts(accounts) }

// Version returns the rules that an account acts by; nil when there are none yet.
func (h *Handler) Version(account event.Account) *Version { return h.force.rulesOf(account) }

// Routes returns the routes of the handler. They stand behind the routes of other plugins.
func (h *Handler) Routes() []bot.Route {
	timer := func(ctx context.Context, t *bot.Turn, _ event.Timer) error { return h.handle(ctx, t) }
	events := bot.On(engine.RouteName, bot.AnyEvent(), func(ctx context.Context, t *bot.Turn, _ event.Event) error { return h.handle(ctx, t) }).
		Ordered(engine.Order).Within(-1).AtOnce(engine.TimerBurst)
	timers := bot.On(engine.RouteTimers, bot.Timers("rules/"), timer).Ordered(engine.Order)
	nobody := bot.On(engine.RouteNobody, bot.Timers(engine.TimersOwned), timer).Ordered(engine.Order)
	return []bot.Route{
		botengine.Route(events, botengine.Ways{
			Keeps: engine.FlowPrefix, LooksOn: h.looksOn, MindsPauses: true, Acked: engine.TimerAcked, Says: h.says, Hears: h.hears,
		}),
		botengine.Route(timers, botengine.Ways{MindsPauses: true}),
		botengine.Route(nobody, botengine.Ways{MindsPauses: true}),
	}
}

// looksOn reports whether what happens is looked at while one of our people has the conversation.
func (h *Handler) looksOn(account event.Account, k event.Kind) bool {
	v := h.Version(account)
	return v != nil && engine.VersionOf(v).LooksOn(k)
}

// says reports whether a text is one that the rules of an account say.
func (h *Handler) says(account event.Account, said string) bool {
	v := h.Version(account)
	return v != nil && engine.VersionOf(v).IsRuleText(said)
}

// hears reports whether a text asks for silence by the rules of an account, and whether it has any.
func (h *Handler) hears(account event.Account, said string) (asks, heard bool) {
	v := h.Version(account)
	return v != nil && engine.VersionOf(v).AsksForSilence(said), v != nil
}

// errNoRules is the error of a timer's turn while nothing is in force: once something is, it can be tried again.
var errNoRules = errors.New("no rules are in force")

// handle lets the rules decide about a turn, and takes their decision over.
func (h *Handler) handle(ctx context.Context, t *bot.Turn) error {
	v := h.Version(t.Trigger.Key.Account)
	if v == nil && t.Trigger.Kind == event.ByTimer { //mutate:timer-no-rules
		return errNoRules
	}
	if v == nil {
		t.Conclude(string(decision.Unmatched))
		t.Note("no rules are in force")
		return nil
	}
	state, err := h.state(t)
	if err != nil {
		return err
	}
	d, facts, err := h.decide(ctx, t, v, state)
	if err != nil {
		return err
	}
	before, err := json.Marshal(engine.VersionOf(v).KeptState(state, d.Masks))
	if err != nil {
		return fmt.Errorf("keep the conversation before: %w", err)
	}
	if err := h.take(ctx, t, &state, &d, facts); err != nil {
		return err
	}
	botengine.Of(t).Explain(d.Rule, v.Hash(), before)
	botengine.Of(t).Concerns(d.Words.Last, d.Words.Since, d.Words.Said, d.Words.Needed)
	t.Conclude(string(d.Outcome))
	if d.Outcome == decision.Unmatched && t.Trigger.Kind == event.ByEvent {
		botengine.Of(t).Leave() //mutate:rules-leave
	}
	if note := d.Beside; note != "" {
		t.Note("%s", note)
	}
	return nil
}

// state returns the turn's conversation as the engine sees it.
func (h *Handler) state(t *bot.Turn) (decision.State, error) {
	c := &t.Conversation
	memory, _, err := h.memory.Load(t)
	s := decision.State{
		Peer: t.Trigger.Key.Peer, Name: c.Name, User: c.User, Owner: c.Owner, OwnerFor: c.OwnerFor, OwnerWrote: c.OwnerWrote,
		Attended: c.Attended, Acked: c.Acked, TakenBack: c.TakenBack, Silence: c.Silence, Labels: c.Labels, Memory: memory,
	}
	if strings.HasPrefix(c.Flow.Flow, engine.FlowPrefix) {
		s.Flow = c.Flow
	}
	return s, err
}

// decide lets the rules decide, and reads the facts that they ask for.
func (h *Handler) decide(ctx context.Context, t *bot.Turn, v *Version, s decision.State) (decision.Decision, decision.Facts, error) {
	facts := decision.Facts{}
	trigger := t.Trigger
	trigger.Event = t.Event // with the text of a post that was read for it
	// Decided from the beginning each time: facts that are there lead the same way again, up to the next one that is missing.
	for range engine.MostRounds {
		d, err := v.Decide(decision.Input{Trigger: trigger, State: s, Facts: facts, Now: t.Now, Paused: botengine.Of(t).Pauses()}) //nolint:contextcheck // deciding reads nothing, and waits for nothing
		if err != nil || len(d.Needs) == 0 {
			return d, facts, err
		}
		for _, n := range d.Needs {
			value, err := h.read(ctx, t, n)
			if err != nil {
				return d, facts, fmt.Errorf("read %s: %w", n.Name, err)
			}
			if facts[n.Name], err = json.Marshal(value); err != nil {
				return d, facts, fmt.Errorf("keep %s: %w", n.Name, err)
			}
		}
	}
	return decision.Decision{}, facts, fmt.Errorf("the rules ask for more and more facts")
}

// read reads a fact.
func (h *Handler) read(ctx context.Context, t *bot.Turn, n decision.Need) (any, error) {
	switch n.Kind {
	case decision.NeedProfile:
		return t.Profile(ctx)
	case decision.NeedFollower:
		return t.Follower(ctx)
	case decision.NeedPost:
		return readPost(ctx, t, n.Post)
	case decision.NeedUses:
		// The commit has denied it to this turn: another one took the last use after it was read. Read again it might be free, and be denied again.
		if t.Denied(n.LimitUse.Limit) {
			return n.LimitUse.Max, nil
		}
		return t.Uses(ctx, n.LimitUse)
	case decision.NeedListed:
		return t.Listed(ctx, n.List)
	case decision.NeedEntry:
		return t.HasEntry(ctx, n.List, n.Key)
	case decision.NeedAction:
		a, _, err := t.ActionState(ctx, n.Key)
		return decision.ActionFact{State: a.State, At: a.EndedAt, Above: a.State == event.StateWithdrawn && reason.OfAction(&a) == reason.UsedUp(event.CeilingLimit)}, err
	case decision.NeedCeiling:
		return botengine.Of(t).Room(ctx)
	default:
		return nil, fmt.Errorf("this version does not know how")
	}
}

// readPost reads a post. One that cannot be read any more is a post of nobody.
func readPost(ctx context.Context, t *bot.Turn, id platform.PostID) (platform.Post, error) {
	p, err := t.Post(ctx, id)
	// Where there is no such call at all, silence is judged without: an event's text cannot be read there, and a timer has it already.
	if platform.Final(err) || t.Trigger.Kind == event.ByTimer && platform.NoEndpoint(err) {
		t.Note("the post %d cannot be read: %v", id, err)
		return platform.Post{ID: id}, nil
	}
	return p, err
}

// take takes a decision over into the turn.
func (h *Handler) take(ctx context.Context, t *bot.Turn, before *decision.State, d *decision.Decision, facts decision.Facts) error {
	if err := keepFacts(ctx, t, facts, d.Facts); err != nil {
		return err
	}
	if d.Changed {
		if err := h.applyChange(t, before, &d.State); err != nil {
			return err
		}
	}
	if d.Withdraw != "" {
		botengine.Of(t).Withdraw(d.Withdraw)
	}
	for _, key := range d.Refused {
		if _, err := t.End(ctx, key, d.Withdraw); err != nil {
			return err
		}
	}
	asked := approvals(t, d)
	for i := range d.Actions {
		if err := act(t, before, &d.Actions[i], asked[i]); err != nil {
			return err
		}
	}
	if d.Handoff != nil {
		handOver(t, d.Handoff)
	}
	for _, c := range d.LimitUses {
		t.UseLimit(c)
	}
	for i := range d.Timers {
		if x := &d.Timers[i]; x.Due.After(t.Now) {
			t.After(x.Due.Sub(t.Now), x.Name, x.Data...)
		} else {
			t.SetTimer(x.Name, x.Due, x.Data)
		}
	}
	leaveNotices(t, d, preparedApprovals(t, d))
	if len(d.Masks) > 0 {
		botengine.Of(t).Mask(decision.Masked, d.Masks...)
	}
	return enter(t, d.Entries)
}

// applyChange takes over what a decision changed of the conversation.
func (h *Handler) applyChange(t *bot.Turn, before, after *decision.State) error {
	for _, l := range after.Labels {
		t.Label(l)
	}
	for _, l := range before.Labels {
		if !slices.Contains(after.Labels, l) {
			t.Unlabel(l)
		}
	}
	if after.Flow.Active() || before.Flow.Active() {
		botengine.Of(t).EnterFlow(after.Flow)
	}
	if after.Silence != before.Silence {
		botengine.Of(t).Silence(after.Silence)
	}
	return h.memory.Save(t, after.Memory)
}

func handOver(t *bot.Turn, h *decision.Handover) {
	if h.For > 0 {
		t.HandoffFor(h.To, h.For)
		return
	}
	t.Handoff(h.To)
}

// notDone is why an action is only recorded.
func notDone(t *bot.Turn, a *decision.Action) event.Reason {
	paused := botengine.Of(t).Pauses()
	for _, rule := range append([]string{engine.Everything}, a.Rules()...) {
		if _, ok := paused[rule]; ok {
			return reason.PausedBy(rule)
		}
	}
	return reason.WatchedBy(a.Rule)
}

// because gives an action the reason of what the rules have decided about it.
func because(why event.Reason) bot.Option {
	return func(_ *bot.Turn, x *record.Action) { reason.Set(&x.Action, why) }
}

// act decides one action.
func act(t *bot.Turn, before *decision.State, a *decision.Action, asked *event.Approval) error {
	options := []bot.Option{botengine.Decided(strings.Join(a.Rules(), ", "), a.Stale)}
	switch {
	case !a.Status.Acts():
		options = append(options, bot.Watched(""), because(notDone(t, a)))
	case a.Status == decision.Ask && asked == nil: // it waits alone
		options = append(options, bot.Held(event.NeedsApproval), botengine.Claiming(a.LimitUses...))
	case a.Status == decision.Ask:
		options = append(options, bot.Awaits(event.NeedsApproval, *asked), botengine.Claiming(a.LimitUses...))
	}
	if a.Due.After(t.Now) {
		options = append(options, func(_ *bot.Turn, x *record.Action) { x.Due, x.Delay = a.Due, a.Delay })
	}
	if a.Private {
		options = append(options, botengine.Private())
	}
	if b := before.Memory.Burst; b != nil && t.Trigger.Kind == event.ByTimer && b.Events[len(b.Events)-1].Source == event.Messages {
		options = append(options, botengine.WithBaseline(platform.MessageID(b.Events[len(b.Events)-1].Number)))
	}
	switch a.Verb {
	case event.VerbMessage:
		return t.Message(a.Text, options...)
	case event.VerbPost:
		return t.ReplyTo(a.Post, a.Text, options...)
	case event.VerbLike:
		t.Like(a.Post, options...)
	case event.VerbRepost:
		t.Repost(a.Post, options...)
	case event.VerbFollow:
		t.Follow(options...)
	case event.VerbBooks:
		botengine.Of(t).Books(options...)
	case event.VerbDeleteMessage, event.VerbDeletePost, event.VerbRenew: // rules have no such acts
	}
	return nil
}

// approvals returns what the actions of bundles wait for, by their indices.
func approvals(t *bot.Turn, d *decision.Decision) map[int]*event.Approval {
	var all map[int]*event.Approval
	for i := range d.Bundles {
		b := &d.Bundles[i]
		for n, at := range b.Actions {
			if all == nil {
				all = map[int]*event.Approval{}
			}
			p := &event.Approval{Group: engine.ActionKey(t.Trigger, b.Actions[0]), Within: b.Within, Expires: b.Expires}
			if n == 0 {
				p.Effects = detailedEffects(d, b)
			}
			all[at] = p
		}
	}
	return all
}

// enter puts entries into lists.
func enter(t *bot.Turn, entries []decision.Entry) error {
	for i, e := range entries {
		row := event.Entry{List: e.List, Key: e.Key, Text: e.Text}
		if row.Key == "" {
			row.Key = t.Trigger.ID() + "/" + strconv.Itoa(i)
		}
		if len(e.Fields) > 0 {
			data, err := json.Marshal(e.Fields)
			if err != nil {
				return fmt.Errorf("keep the entry of %s: %w", e.List, err)
			}
			row.Data = data
		}
		t.Record(row)
	}
	return nil
}
