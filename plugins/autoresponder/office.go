package autoresponder

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

const (
	officeLook  = time.Second
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

	logged map[string]*trial // notices that were logged and not delivered
}

// trial is a notice whose webhook has not taken it yet.
type trial struct {
	tries int
	next  time.Time
}

func newOffice(cfg Config, memory Memory) *office {
	return &office{cfg: cfg, memory: memory, client: newHookClient(cfg.Transport), logged: map[string]*trial{}}
}

// know takes over the teams of new rules.
func (o *office) know(teams map[string]rules.Team) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.teams = teams
}

func (o *office) team(who string) rules.Team {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.teams[who]
}

// run delivers notices until ctx is done.
func (o *office) run(ctx context.Context) {
	tick := time.NewTicker(officeLook)
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
	waiting, err := o.memory.Unsent(ctx, officeBatch)
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
		delete(o.logged, sent[i].ID)
	}
	return nil
}

// one delivers a notice; it reports whether nothing is left to be done about it.
func (o *office) one(ctx context.Context, n *store.Notice) bool {
	tr := o.logged[n.ID]
	if tr == nil {
		tr = &trial{}
		o.logged[n.ID] = tr
		o.cfg.Log.InfoContext(ctx, "notice", "who", n.Who, "text", n.Text, "account", string(n.Account), "peer", int64(n.Peer))
	}
	hook := o.team(n.Who).Webhook
	now := time.Now()
	switch {
	case hook == "":
		return true
	case now.Before(tr.next):
		return false
	}
	err := o.send(ctx, hook, n)
	if err == nil || ctx.Err() != nil {
		return err == nil
	}
	tr.tries++
	tr.next = now.Add(min(time.Second<<min(tr.tries, 10), mostPause))
	if now.Sub(n.At) > giveUpAfter {
		o.cfg.Log.ErrorContext(ctx, "a notice could not be sent, and is given up", "who", n.Who, "err", err)
		return true
	}
	if tr.tries == 1 {
		o.cfg.Log.WarnContext(ctx, "a notice could not be sent; trying again", "who", n.Who, "err", err)
	}
	return false
}

func (o *office) close() { o.client.CloseIdleConnections() }
