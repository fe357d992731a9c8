package doctor

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

	"github.com/nectar-bot/nectar/bot"
	"github.com/nectar-bot/nectar/bot/config"
	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/cmd/internal/cli"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/cmd/internal/sources"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/session"
)

// CampaignProbe is what the flags of doctor say of --campaigns.
type CampaignProbe struct {
	On   bool
	Link string // of the post; "" is the newest one of the account
	Yes  bool
}

// Check says what is wrong with the flags.
func (o *CampaignProbe) Check(cfg *config.Config, asJSON bool) error {
	switch {
	case !o.On && (o.Link != "" || o.Yes):
		return errors.New("--post and --yes belong to --campaigns")
	case !o.On:
		return nil
	case len(cfg.Accounts) == 0:
		return errors.New("--campaigns looks at an account, and none stands in the database: nectar accounts add brings one there")
	case len(cfg.Accounts) > 1:
		return errors.New("--campaigns looks at one account: name it with --account")
	case asJSON && !o.Yes:
		return errors.New("with --json nobody can be asked: say --yes, too")
	}
	if _, err := linkedPost(o.Link); o.Link != "" && err != nil {
		return err
	}
	return nil
}

// linkedPost returns the post that a link, or its number, names.
func linkedPost(link string) (platform.PostID, error) {
	u, err := url.Parse(link)
	if err == nil {
		if id, err := sources.PostNumber(path.Base(u.Path)); err == nil {
			return id, nil
		}
	}
	return 0, fmt.Errorf("--post %q is not the address of a post: open the post and copy its address", print.PlainText(link, 80))
}

// lifting is the subject under which what was found out is told to the bot.
const lifting = "campaigns/lifts"

// ProbeCampaigns finds out on a post of the account itself what campaigns have to know of the platform, and tells the bot.
func (d *Doctor) ProbeCampaigns(ctx context.Context, cfg config.Config, o CampaignProbe, answers io.Reader) (Diagnosis, error) {
	a := cfg.Accounts[0]
	cfg.NoBot = true
	st, err := cfg.OpenStore(ctx, slog.New(slog.DiscardHandler))
	switch {
	case errors.Is(err, record.ErrInUse):
		return d.Found, fmt.Errorf("a bot runs on %s: stop it first, so that it does nothing with the post meanwhile, and start it again afterwards", cfg.Store)
	case err != nil:
		return d.Found, fmt.Errorf("NECTAR_STORE: %w", err)
	}
	lifts, err := d.probeAccount(ctx, a, st, o, answers)
	if err = errors.Join(err, st.Close()); err == nil && lifts != campaigns.Unknown {
		err = d.leave(ctx, cfg, a.Name, lifts)
	}
	for _, f := range d.Found.Findings {
		if f.Status == Failed {
			return d.Found, err
		}
	}
	d.Found.OK = err == nil
	return d.Found, err
}

// probeAccount signs in, and lets the prober work.
func (d *Doctor) probeAccount(ctx context.Context, a config.Account, st bot.Store, o CampaignProbe, answers io.Reader) (campaigns.Tri, error) {
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
	p := NewProber(client.WithSession(broker), me, func(f Finding) { f.Account = string(a.Name); d.NoteFinding(f) })
	var id platform.PostID
	if o.Link != "" {
		if id, err = linkedPost(o.Link); err != nil {
			return campaigns.Unknown, err
		}
	}
	if err := p.ChoosePost(ctx, id); err != nil {
		return campaigns.Unknown, err
	}
	// Behind the choice of the post, which reads alone: the question is about this post.
	_, _ = fmt.Fprint(d.Out, p.announces(a.Name))
	if !o.Yes {
		if err := cli.ConfirmYes(ctx, d.Out, answers, "Do it?"); err != nil {
			return campaigns.Unknown, err
		}
	}
	err = p.Run(ctx)
	// A session that was got here has to be stored before the store is closed.
	if waited := broker.Wait(context.WithoutCancel(ctx)); err == nil {
		err = waited
	}
	return p.Lifts, err
}

// leave tells the bot what was found out: it takes that over when it starts.
func (d *Doctor) leave(ctx context.Context, cfg config.Config, account event.Account, lifts campaigns.Tri) error {
	inspector, err := inspect.Open(ctx, string(cfg.Store), cfg.SecretKey)
	if err != nil {
		return fmt.Errorf("NECTAR_STORE: %w", err)
	}
	_, err = inspector.Ask(ctx, event.Request{
		Key: event.Own(account), Wish: event.WishTell, Subject: lifting, Text: string(lifts), By: "nectar doctor", AskedAt: time.Now(),
	})
	if err = errors.Join(err, inspector.Close()); err == nil {
		d.NoteFinding(Finding{string(account), "the bot", Good, "it is told when it starts"})
	}
	return err
}

// announces says what is going to be done.
func (p *Prober) announces(account event.Account) string {
	said := print.PlainText(p.Post.Text, 60)
	if said != "" {
		said = " (" + print.QuotePlain(said, 60) + ")"
	}
	return strings.Join([]string{
		fmt.Sprintf("account %s: post %d%s, of %s, is yours and is not reposted. This is what happens to it now:", account, p.Post.ID, said, p.Post.Time.Format(time.DateOnly)),
		"  1. it is reposted, and read",
		"  2. the repost is taken back, and it is read",
		"  3. it is reposted again, and read",
		"  4. the repost is taken back: it is as before",
		"These are 4 calls that change something, on no post but this one. Your followers may see the repost for some seconds.",
		"If this is broken off in the middle, it puts the post back as it was, and says when it cannot.", "",
	}, "\n")
}
