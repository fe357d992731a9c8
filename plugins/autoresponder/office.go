package autoresponder

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

const (
	officeBatch = 100
	// giveUpAfter is how long a webhook that does not take a notice is tried.
	giveUpAfter = 24 * time.Hour
	mostPause   = 10 * time.Minute
)

// office delivers notices: a line in the log, and the team's webhook.
type office struct {
	cfg    Config
	memory Memory
	client *http.Client

	mu    sync.Mutex
	teams map[string]rules.Team

	known  map[string]*known // notices that were logged, and are not yet known as sent
	trials map[string]*trial // webhooks that do not take notices, by address
}

// known is a notice that was logged.
type known struct {
	done bool
	sent map[string]bool // the webhooks that have it, by address
}

// trial is a webhook that does not take notices.
type trial struct {
	tries int
	next  time.Time
}

func newOffice(cfg Config, memory Memory) *office {
	return &office{cfg: cfg, memory: memory, client: newHookClient(cfg.Transport), known: map[string]*known{}, trials: map[string]*trial{}}
}

// know takes over the teams of new rules.
func (o *office) know(teams map[string]rules.Team) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.teams = teams
}

// hooks returns the webhooks of whom a notice is for, each once.
func (o *office) hooks(who string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var hooks []string
	for name, team := range o.teams {
		if team.Webhook != "" && (name == who || who == store.Everybody) {
			hooks = append(hooks, team.Webhook)
		}
	}
	slices.Sort(hooks)
	return slices.Compact(hooks)
}

// run delivers notices until ctx is done.
func (o *office) run(ctx context.Context) {
	tick := time.NewTicker(o.cfg.Look)
	defer tick.Stop()
	failing := false
	for {
		err := o.deliver(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			o.cfg.Log.ErrorContext(ctx, "notices cannot be read; trying again", "err", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// deliver delivers what waits.
func (o *office) deliver(ctx context.Context) error {
	waiting, err := o.memory.Unsent(ctx, officeBatch+len(o.known)) // those that cannot be delivered are no obstacle
	if err != nil {
		return err
	}
	var sent []store.Notice
	for i := range waiting {
		if o.one(ctx, &waiting[i]) {
			sent = append(sent, waiting[i])
		}
	}
	if len(sent) == 0 {
		return nil
	}
	if err := o.memory.NoticeSent(ctx, sent...); err != nil {
		return err
	}
	for i := range sent {
		delete(o.known, key(&sent[i]))
	}
	return nil
}

// one delivers a notice; it reports whether nothing is left to be done about it.
func (o *office) one(ctx context.Context, n *store.Notice) bool {
	k := o.known[key(n)]
	if k == nil {
		k = &known{sent: map[string]bool{}}
		o.known[key(n)] = k
		o.cfg.Log.InfoContext(ctx, "notice", "who", n.Who, "text", shown(n), "account", string(n.Account), "peer", int64(n.Peer))
	}
	if k.done { // and could not be noted
		return true
	}
	k.done = true
	for _, hook := range o.hooks(n.Who) {
		if !k.sent[hook] && !o.hook(ctx, hook, n) {
			k.done = false
			continue
		}
		k.sent[hook] = true
	}
	return k.done
}

// hook sends a notice to a webhook; true when nothing is left to be done. A webhook that does not take a notice is
// left alone for a while.
func (o *office) hook(ctx context.Context, hook string, n *store.Notice) bool {
	tr, now := o.trials[hook], time.Now()
	if tr != nil && now.Before(tr.next) {
		return false
	}
	err := o.send(ctx, hook, n)
	if err == nil {
		delete(o.trials, hook)
		return true
	}
	if ctx.Err() != nil {
		return false
	}
	if tr == nil {
		tr = &trial{}
		o.trials[hook] = tr
		o.cfg.Log.WarnContext(ctx, "a notice could not be sent; trying again", "who", n.Who, "err", err)
	}
	tr.tries++
	tr.next = now.Add(min(time.Second<<min(tr.tries, 10), mostPause))
	if now.Sub(n.At) > giveUpAfter {
		o.cfg.Log.ErrorContext(ctx, "a notice could not be sent, and is given up", "who", n.Who, "err", err)
		return true
	}
	return false
}

// key names a notice among those of all accounts.
func key(n *store.Notice) string { return string(n.Account) + "/" + n.ID }

// mostShown is how many letters of a notice are logged.
const mostShown = 300

// shown returns the text of a notice as a log may show it: of a long one the beginning, and how long it is.
func shown(n *store.Notice) string {
	if n.Private {
		return "(private)"
	}
	letters := 0
	for i := range n.Text {
		if letters++; letters > mostShown { //mutate:notice-bound
			return fmt.Sprintf("%s… (%d letters)", n.Text[:i], utf8.RuneCountInString(n.Text))
		}
	}
	return n.Text
}

func (o *office) close() { o.client.CloseIdleConnections() }
