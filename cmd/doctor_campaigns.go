package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/store"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
	"github.com/spf13/cobra"
)

// campaignProbe is what the flags of doctor say of --campaigns.
type campaignProbe struct {
	on   bool
	link string // of the post; "" is the newest one of the account
	yes  bool
}

// flags adds them to the command.
func (o *campaignProbe) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.on, "campaigns", false, "find out on a post of your own what campaigns have to know; says before what it does, and asks")
	cmd.Flags().StringVar(&o.link, "post", "", "with --campaigns: the `link` of that post (default your newest one)")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "with --campaigns: do not ask")
}

// check says what is wrong with the flags.
func (o *campaignProbe) check(cfg *config.Config, asJSON bool) error {
	switch {
	case !o.on && (o.link != "" || o.yes):
		return errors.New("--post and --yes belong to --campaigns")
	case !o.on:
		return nil
	case len(cfg.Accounts) == 0:
		return errors.New("--campaigns looks at an account, and none stands in the database: nectar accounts add brings one there")
	case len(cfg.Accounts) > 1:
		return errors.New("--campaigns looks at one account: name it with --account")
	case asJSON && !o.yes:
		return errors.New("with --json nobody can be asked: say --yes, too")
	}
	if _, err := linkedPost(o.link); o.link != "" && err != nil {
		return err
	}
	return nil
}

// linkedPost returns the post that a link, or its number, names.
func linkedPost(link string) (platform.PostID, error) {
	u, err := url.Parse(link)
	if err == nil {
		if id, err := postNumber(path.Base(u.Path)); err == nil {
			return id, nil
		}
	}
	return 0, fmt.Errorf("--post %q is not the address of a post: open the post and copy its address", plain(link, 80))
}

// lifting is the subject under which what was found out is told to the bot.
const lifting = "campaigns/lifts"

// probe finds out on a post of the account itself what campaigns have to know of the platform, and tells the bot.
func (d *doctor) probe(ctx context.Context, cfg config.Config, o campaignProbe, answers io.Reader) (diagnosis, error) {
	a := cfg.Accounts[0]
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, store.ErrInUse):
		return d.found, fmt.Errorf("a bot runs on %s: stop it first, so that it does nothing with the post meanwhile, and start it again afterwards", cfg.Store)
	case err != nil:
		return d.found, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	lifts, err := d.probeAccount(ctx, a, st, o, answers)
	if err = errors.Join(err, st.Close()); err == nil && lifts != campaigns.Unknown {
		err = d.leave(ctx, cfg, a.Name, lifts)
	}
	for _, f := range d.found.Findings {
		if f.Status == failed {
			return d.found, err
		}
	}
	d.found.OK = err == nil
	return d.found, err
}

// probeAccount signs in, and lets the prober work.
func (d *doctor) probeAccount(ctx context.Context, a config.Account, st *store.Database, o campaignProbe, answers io.Reader) (campaigns.Tri, error) {
	transport := platform.NewTransport()
	defer transport.CloseIdleConnections()
	client, err := platform.New(platform.Config{BaseURL: a.BaseURL, AllowPlainHTTP: a.AllowPlainHTTP, Transport: transport})
	if err != nil {
		return campaigns.Unknown, err
	}
	broker := session.New(session.Config{Account: string(a.Name), Client: client, Credentials: a.Bot().Credentials, Keeper: st.Keeper(a.Name)})
	me, err := broker.Me(ctx)
	if err != nil {
		return campaigns.Unknown, fmt.Errorf("sign in: %w", err)
	}
	p := newProber(client.WithSession(broker), me, func(f finding) { f.Account = string(a.Name); d.note(f) })
	var id platform.PostID
	if o.link != "" {
		if id, err = linkedPost(o.link); err != nil {
			return campaigns.Unknown, err
		}
	}
	if err := p.choose(ctx, id); err != nil {
		return campaigns.Unknown, err
	}
	_, _ = fmt.Fprint(d.out, p.announces(a.Name))
	if !o.yes {
		if err := confirm(d.out, answers, "Do it?"); err != nil {
			return campaigns.Unknown, err
		}
	}
	err = p.run(ctx)
	if waited := broker.Wait(context.WithoutCancel(ctx)); err == nil {
		err = waited
	}
	return p.lifts, err
}

// leave tells the bot what was found out: it takes that over when it starts.
func (d *doctor) leave(ctx context.Context, cfg config.Config, account event.Account, lifts campaigns.Tri) error {
	desk, err := store.OpenDesk(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	_, err = desk.Ask(ctx, event.Request{
		Key: event.Own(account), Wish: event.WishTell, Subject: lifting, Text: string(lifts), By: "nectar doctor", AskedAt: time.Now(),
	})
	if err = errors.Join(err, desk.Close()); err == nil {
		d.note(finding{string(account), "the bot", good, "it is told when it starts"})
	}
	return err
}

// announces says what is going to be done.
func (p *prober) announces(account event.Account) string {
	said := plain(p.post.Text, 60)
	if said != "" {
		said = " (" + quoted(said, 60) + ")"
	}
	return strings.Join([]string{
		fmt.Sprintf("account %s: post %d%s, of %s, is yours and is not reposted. This is what happens to it now:", account, p.post.ID, said, p.post.Time.Format(time.DateOnly)),
		"  1. it is reposted, and read",
		"  2. the repost is taken back, and it is read",
		"  3. it is reposted again, and read",
		"  4. the repost is taken back: it is as before",
		"These are 4 calls that change something, on no post but this one. Your followers may see the repost for some seconds.",
		"If this is broken off in the middle, it puts the post back as it was, and says when it cannot.", "",
	}, "\n")
}
