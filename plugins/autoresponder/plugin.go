package autoresponder

import (
	"context"
	"sync"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// Memory is what the plugin needs of a store.
type Memory interface {
	// SaveRules keeps rules that come into force, for as long as anybody may ask why.
	SaveRules(ctx context.Context, r record.Rules) error
	// RulesInForce returns what an account acts by, or did last.
	RulesInForce(ctx context.Context, account event.Account) (record.InForce, bool, error)
	// Unsent returns notices that were not sent yet.
	Unsent(ctx context.Context, limit int) ([]event.Notice, error)
	record.Calls
	// Serves reports whether an account's work is this process's, where workers share a database; "" is the whole bot. Handed tells how
	// often that has changed.
	Serves(account event.Account) bool
	Handed() int64
	// FlowStates counts the conversations in each state of each flow: those of accounts, or all.
	FlowStates(ctx context.Context, accounts ...event.Account) ([]conversation.Count, error)
}

// Plugin answers by rule files. What happens to it: New, Start, Stop.
type Plugin struct {
	cfg     Config
	memory  Memory
	handler *rules.Handler
	post    *office
	shelf   *shelf

	setting sync.Mutex // guards no field: one begins, ends or changes folders at a time
	mu      sync.Mutex // guards the fields below
	folders []*folder  // each for accounts of its own

	running context.Context //nolint:containedctx // of the folders; nil before Start, and done with Stop
	cancel  context.CancelFunc
	wg      sync.WaitGroup
}

// New makes the plugin. It reads nothing yet. The error says which field of the configuration is wrong.
func New(cfg Config, memory Memory) (*Plugin, error) {
	places, err := cfg.readPlaces()
	if err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	p := &Plugin{cfg: cfg, memory: memory, handler: rules.NewHandler(), post: newOffice(cfg, memory), shelf: newShelf(memory, cfg.Look)}
	p.post.watch = &watch{post: p.post, folders: p.all}
	for i := range places {
		p.folders = append(p.folders, p.newFolder(&places[i]))
	}
	p.replaceFolders(p.folders)
	return p, nil
}

// tellInForce tells Config.InForce that rules are in force for accounts; without accounts, for all of them.
func (p *Plugin) tellInForce(v *rules.Version, accounts []event.Account) {
	if p.cfg.InForce == nil {
		return
	}
	if len(accounts) == 0 {
		accounts = []event.Account{""}
	}
	for _, account := range accounts {
		p.cfg.InForce(account, v) //mutate:rules-told
	}
}

// Routes returns the routes that answer by the rules in force.
func (p *Plugin) Routes() []bot.Route { return p.handler.Routes() }

// Version returns the rules that an account acts by; nil when there are none.
func (p *Plugin) Version(account event.Account) *rules.Version { return p.handler.Version(account) }

// Watch lets people be called for what goes wrong with a bot, beside what rules say. Without it they are not.
func (p *Plugin) Watch(w Watched) {
	p.post.mu.Lock()
	defer p.post.mu.Unlock()
	p.post.watched = w
}

// Start reads the files, and watches them from then on. Files that do not work are no error: the log
// says what is wrong, and the bot runs without them.
func (p *Plugin) Start(ctx context.Context) error {
	p.setting.Lock()
	defer p.setting.Unlock()
	for _, fo := range p.all() {
		fo.lookForChanges(ctx)
	}
	p.running, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for _, fo := range p.all() {
		fo.beginWatch(p.running) //nolint:contextcheck // it is watched until Stop
	}
	p.wg.Go(func() { p.post.run(p.running) })
	p.wg.Go(func() { p.callHeartbeat(p.running) })
	return nil
}

// Stop ends the watching, and the delivery of notices: what was not sent is sent after the next start.
func (p *Plugin) Stop(context.Context) error {
	p.setting.Lock()
	defer p.setting.Unlock()
	if p.cancel != nil {
		p.cancel()
		for _, fo := range p.all() {
			fo.end()
		}
	}
	p.wg.Wait()
	p.post.close()
	return nil
}
