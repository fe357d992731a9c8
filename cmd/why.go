package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
	"github.com/spf13/cobra"
)

const whyHelp = `Why tells why the bot answered something, or did not: what happened, which rules
were tried and what decided about each, what was done and what became of it, how
the conversation stood before and after.

ID is an event (message:501), what came of a timer or of a person's decision
(timer:90/rules/burst/17), or an action by its key (message:501/rules/0), as
nectar events, nectar outbox and nectar conversations show print them. What is held
may be named by its number, too. ID may be a slot of a campaign
(spring-menu@2027-03-16T09:30), also by the minute that the plan shows, or by its day:
what became of it, or will, which other posts might have come, and why not.

What rules decided is decided again, with what the bot knew then and the very
version of the rule files that it had. Should the second decision be another one,
why says so. Private answers are never shown.

Exit status 1 when there is nothing of that id.`

func newWhy(sh shell) *cobra.Command {
	var f deskFlags
	cmd := &cobra.Command{
		Use:     "why ID",
		Short:   "Tell why something was answered, or was not",
		Long:    whyHelp,
		Example: "  nectar why message:501\n  nectar why message:501/rules/0 --account shop --json\n  nectar why spring-menu@2027-03-16T09:30",
		GroupID: groupCare,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return badUsage(cmd, errors.New("name one event or action, like message:501; nectar events lists them"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if isSlot(args[0]) {
				return sh.whySlot(cmd, &f, args[0])
			}
			id, err := parseWhyID(args[0])
			if err != nil {
				return badUsage(cmd, err)
			}
			d, err := sh.desk(cmd, &f)
			if err != nil {
				return err
			}
			defer d.close()
			return d.why(cmd.Context(), id)
		},
	}
	f.add(cmd)
	return cmd
}

// why tells why.
func (d *desk) why(ctx context.Context, id whyID) error {
	if id.number {
		var err error
		if id, err = d.named(ctx, id); err != nil {
			return err
		}
	}
	r, asked, err := d.findWhy(ctx, id)
	if err != nil {
		return err
	}
	turns := []*whyTurn{{Recorded: r, asked: asked}}
	if err := d.approved(ctx, turns[0]); err != nil {
		return err
	}
	if err := d.explain(ctx, turns[0]); err != nil {
		return err
	}
	if r.Event != nil && isGathered(r.Event) {
		if turns, err = d.withBurst(ctx, turns[0]); err != nil {
			return err
		}
	}
	if d.json {
		return d.whyForMachines(turns)
	}
	t := whyTold{out: d.out, many: len(d.accounts) > 1}
	t.tell(turns)
	return t.err
}

// withBurst returns the turn of an event that was gathered with the one that answered it, if there is one.
func (d *desk) withBurst(ctx context.Context, t *whyTurn) ([]*whyTurn, error) {
	turns := []*whyTurn{t}
	burst, ok, err := d.burstOf(ctx, t.Event)
	if err != nil {
		return nil, err
	}
	if ok {
		turns = append(turns, &whyTurn{Recorded: burst})
		if err := d.approved(ctx, turns[1]); err != nil {
			return turns, err
		}
		return turns, d.explain(ctx, turns[1])
	}
	t.waits, _, err = d.Alarm(ctx, t.Event.Key(), timerBurst)
	return turns, err
}

// whyTurn is a stored turn, and why it ended as it did.
type whyTurn struct {
	record.Recorded
	asked string // the key of the action that was asked about; "" for all

	waits record.TimerRow // the timer that answers what was gathered; zero when nothing waits

	explained rules.Explanation
	ok        bool                      // whether explained is there
	version   *rules.Version            // nil when it is not there
	loaded    time.Time                 // when the version was loaded last; zero when it is not kept any more
	approvals map[string]event.Approval // of its actions, by key
	requests  waiting                   // what people have asked for and no bot has done yet, where one of its actions waits for people
	became    string                    // what became of what it prepared; "" when nothing waited
	ruled     string                    // who decided about that, and when
	why       string                    // why explained is not there, although rules decided; "" otherwise
}

// approved looks up what became of what a turn prepared.
func (d *desk) approved(ctx context.Context, t *whyTurn) (err error) {
	keys := make([]string, len(t.Actions))
	for i := range t.Actions {
		keys[i] = t.Actions[i].Key
	}
	account := accountOf(&t.Recorded)
	if t.approvals, err = d.Approvals(ctx, account, keys); err != nil {
		return err
	}
	if slices.ContainsFunc(t.Actions, func(a event.Action) bool { return a.State == event.StateHeld }) {
		if t.requests, err = d.waiting(ctx); err != nil {
			return err
		}
	}
	if t.trace().Outcome == string(rules.Prepared) {
		t.became, t.ruled, err = d.became(ctx, account, t.Actions)
	}
	return err
}

// trace returns the turn's trace.
func (t *whyTurn) trace() *event.DecisionRecord {
	if t.Event != nil {
		return &t.Event.Trace
	}
	return &t.Turn.Trace
}

// explain runs the engine again on a stored turn.
func (d *desk) explain(ctx context.Context, t *whyTurn) error {
	hash := t.trace().Version
	if hash == "" {
		return nil
	}
	content, found, err := d.Rules(ctx, hash)
	if err != nil {
		return err
	}
	if t.loaded, _, err = d.RulesLoaded(ctx, hash); err != nil {
		return err
	}
	if !found {
		t.why = "the rule files of that time are not kept any more"
		return nil
	}
	if d.shut != "" {
		t.why = d.shut
		return nil
	}
	src, err := rules.DecodeSources(content)
	if err != nil {
		return fmt.Errorf("read the rules %s: %w", hash, err)
	}
	v, report := rules.Compile(src)
	if v == nil {
		t.why = fmt.Sprintf("this version of nectar does not take the rule files of that time: %s", report.Problems.Errors()[0].Text)
		return nil
	}
	t.version = v
	t.explained, t.ok, err = v.Explain(&t.Recorded)
	if err != nil {
		t.why = err.Error()
	}
	if t.ok && t.explained.Private {
		t.Event.Text = private
	}
	return nil
}
