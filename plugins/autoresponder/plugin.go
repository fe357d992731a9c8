package autoresponder

import (
	"context"
	"errors"
	"sync"

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/conversation"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/rules"
)

// Memory is what the plugin needs of a store.
type Memory interface {
	// SaveRules keeps the content of rules by its hash, for as long as anybody may ask why.
	SaveRules(ctx context.Context, hash, content string) error
	// LatestRules returns what was kept last, or once more.
	LatestRules(ctx context.Context) (string, bool, error)
	// Unsent returns notices that were not sent yet.
	Unsent(ctx context.Context, limit int) ([]store.Notice, error)
	store.Calls
	// FlowStates counts the conversations in each state of each flow.
	FlowStates(ctx context.Context) ([]conversation.Count, error)
}

// Plugin answers by rule files. Its life: New, Start, Stop.
type Plugin struct {
	cfg     Config
	memory  Memory
	handler *rules.Handler
	folder  *folder
	post    *office
	watch   *watch

	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New makes the plugin. It reads nothing yet. The error says which field of the configuration is wrong.
func New(cfg Config, memory Memory) (*Plugin, error) {
	if cfg.Path == "" {
		return nil, errors.New("autoresponder.Config.Path: it must name the folder of the rule files")
	}
	cfg = cfg.withDefaults()
	h := rules.NewHandler()
	p := &Plugin{cfg: cfg, memory: memory, handler: h, post: newOffice(cfg, memory)}
	p.folder = &folder{cfg: cfg, memory: memory, drafts: map[string]bool{}, use: func(v *rules.Version) {
		h.Use(v)
		p.post.know(v.Calling())
	}}
	p.watch = &watch{post: p.post, folder: p.folder}
	p.post.watch = p.watch
	return p, nil
}

// Routes returns the routes that answer by the rules in force.
func (p *Plugin) Routes() []bot.Route { return p.handler.Routes() }

// Version returns the rules in force; nil when there are none.
func (p *Plugin) Version() *rules.Version { return p.handler.Version() }

// Watch lets people be called for what goes wrong with a bot, beside what rules say. Without it they are not.
func (p *Plugin) Watch(w Watched) {
	p.post.mu.Lock()
	defer p.post.mu.Unlock()
	p.post.watched = w
}

// Start reads the files, and watches them from then on. Files that do not work are no error: the log
// says what is wrong, and the bot runs without them.
func (p *Plugin) Start(ctx context.Context) error {
	p.folder.look(ctx)
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.wg.Go(func() { p.folder.watch(ctx) })
	p.wg.Go(func() { p.post.run(ctx) })
	p.wg.Go(func() { p.beat(ctx) })
	return nil
}

// Stop ends the watching, and the delivery of notices: what was not sent is sent after the next start.
func (p *Plugin) Stop(context.Context) error {
	if p.cancel != nil {
		p.cancel()
	}
	p.wg.Wait()
	p.post.close()
	return nil
}
