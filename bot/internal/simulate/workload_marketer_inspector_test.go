package simulate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	plugin "github.com/nectar-bot/nectar/plugins/campaigns"
)

// release is what somebody has decided about what was prepared for a slot.
type release struct {
	event.Action
	inTime bool // it was approved, and in time
	at     time.Time
}

// decide decides about what waits for a person: most of it is approved, some refused, some left for later.
func (g *marketer) decide(ctx context.Context, inspector inspect.Inspector, s *shop, d *draw) error {
	held, err := inspector.Actions(ctx, record.ActionQuery{Account: s.name, State: event.StateHeld, Limit: 100})
	if err != nil {
		return err
	}
	for i := range held {
		a := &held[i]
		if _, decided := s.released[a.Key]; decided || !strings.HasPrefix(a.Key, event.NamedKey("campaigns/")) || d.n(4) == 0 {
			continue
		}
		approval, there, err := inspector.Approval(ctx, s.name, a.Key)
		if err != nil || !there {
			return err
		}
		q := event.Request{Key: a.Conversation(), Wish: event.WishRelease, Action: a.Key, By: "guest"}
		if d.n(6) == 0 {
			q.Wish = event.WishDrop
		}
		asked, err := inspector.Ask(ctx, q)
		if err != nil {
			return err
		}
		g.mu.Lock()
		s.released[a.Key] = &release{*a, q.Wish == event.WishRelease && !asked[0].AskedAt.After(approval.Expires), asked[0].AskedAt}
		g.mu.Unlock()
	}
	return nil
}

// calls looks at each publication as it leaves: none out of every time that it was ever planned for, none that nobody approved.
func (g *marketer) calls(r *http.Request, body string) {
	endpoint := path.Base(r.URL.Path)
	if endpoint != "publication_repost" && endpoint != "publish_post" {
		return
	}
	form, err := url.ParseQuery(body)
	if err != nil {
		return
	}
	id, _ := strconv.ParseInt(form.Get("post_id"), 10, 64) // none of an own text
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.shops {
		w, key, asked := s.published(platform.PostID(id), form.Get("post_text"))
		if key == "" {
			continue
		}
		if g.doom > 0 && !g.s.peace.Load() {
			g.s.power.Load().arm(g.doom)
			g.doom = 0
		}
		if w != nil && (g.owed(s, w) || w.touched(time.Now())) {
			return // what it has begun it ends
		}
		if w != nil && w.undone && g.s.platform.Reposted(s.account, w.post) {
			return // it takes back what somebody wants to be taken back
		}
		if !s.planned(key) {
			g.wrong = append(g.wrong, fmt.Sprintf("%s leaves for %s, when no slot wants it", key, s.name))
		}
		if renew := w != nil && g.s.platform.Reposted(s.account, w.post); (asked || renew) && !s.approved(w, form.Get("post_text"), renew) {
			g.wrong = append(g.wrong, fmt.Sprintf("%s leaves for %s, and nobody has approved it (renewal %v)", key, s.name, renew))
		}
	}
}

func (g *marketer) hears(*http.Request, []byte) {}

// published tells what of the shop is published; "" for nothing.
func (s *shop) published(id platform.PostID, said string) (w *ware, key string, asked bool) {
	for _, w := range s.wares {
		if id != 0 && w.post == id {
			return w, w.key(), w.asked
		}
	}
	if id == 0 && strings.HasPrefix(said, string(s.name)+" says ") {
		return nil, campaigns.TextKey(said), s.textsAsked
	}
	return nil, "", false
}

// owed reports whether the shop has taken its repost back, and not made it again.
func (g *marketer) owed(s *shop, w *ware) bool {
	owed := false
	for _, e := range g.s.platform.Ledger().Since(0) {
		if e.From == s.account && e.Post == w.post && (e.Kind == emulator.Reposted || e.Kind == emulator.Unreposted) {
			owed = e.ByAPI && e.Kind == emulator.Unreposted
		}
	}
	return owed
}

// touched reports whether people have done something to a post or its repost around a time.
func (w *ware) touched(at time.Time) bool {
	for _, h := range w.hands {
		if d := at.Sub(h); d > -2*time.Minute && d < 2*time.Minute {
			return true
		}
	}
	return false
}

// planned reports whether something may leave now.
func (s *shop) planned(key string) bool {
	now := time.Now()
	for _, w := range s.windows {
		for _, item := range w.items {
			if item == key && !now.Before(w.from) && !now.After(w.until) {
				return true
			}
		}
	}
	return false
}

// approved reports whether somebody has let it leave now.
func (s *shop) approved(w *ware, said string, renew bool) bool {
	now := time.Now()
	for _, r := range s.released {
		same := w == nil && r.Text == said || w != nil && r.Post == w.post && (r.Verb == event.VerbRenew) == renew
		if same && r.inTime && now.After(r.at) && now.Before(r.Until) {
			return true
		}
	}
	return false
}

// foreseen is what the plan says of a slot.
type foreseen struct {
	kind  campaigns.Kind
	item  string
	renew bool
	at    time.Time // when it would leave
	seen  time.Time // when it was looked at
}

// stored returns what the bot remembers of a shop's campaigns.
func (s *shop) stored(ctx context.Context, inspector inspect.Inspector) (a campaigns.Account, err error) {
	stored, err := plugin.Read(ctx, inspector, s.name)
	if err != nil {
		return a, err
	}
	asked, err := inspector.Requests(ctx, event.Request{}, 1000)
	stored, _ = plugin.Foresee(stored, s.name, asked, time.Now())
	a = stored.Account
	a.Campaigns, a.AccountFacts = s.ready(), campaigns.AccountFacts{Budget: shopBudget}
	return a, err
}

// look notes what the plan says of the slots of the next minutes.
func (g *marketer) look(ctx context.Context, inspector inspect.Inspector, s *shop) error {
	a, err := s.stored(ctx, inspector)
	if err != nil {
		return err
	}
	for v := range campaigns.Plan(&a, time.Now(), time.Now(), time.Now().Add(4*time.Minute)) {
		f := foreseen{kind: v.Kind, renew: v.Renew, at: v.At, seen: time.Now()}
		if v.Item != nil {
			f.item = v.Item.Key
		}
		s.foreseen[v.Slot.ID] = f
	}
	return nil
}
