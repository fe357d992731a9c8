package cmd

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/audit"
	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/inspect"
	"github.com/nectar-bot/nectar/cmd/internal/readback"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/session"
)

// inBubble answers requests without a network: a bubble of synctest has none.
type inBubble struct{ to http.Handler }

func (w inBubble) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	w.to.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// The book of the campaigns is compared with the account's own page: a repost that is not there any more is missing, one that nobody
// planned is told, and what the bot has taken for gone itself is neither.
func TestAuditOfReposts(t *testing.T) {
	t.Parallel()
	effort.Long(t)
	atMarketing(t, "live", func(m *marketing) {
		m.Advance(7 * time.Hour) // two slots
		me := m.Account("bot").ID()
		since := time.Time{}
		audited := func() (*readback.RepostAudit, string) {
			var r *readback.RepostAudit
			m.Inspect(func(d inspect.Inspector) {
				kept := func(ctx context.Context) (session.Kept, error) { return d.Session(ctx, "bot") }
				client, err := platform.New(platform.Config{BaseURL: "http://emulator/mobile_api", AllowPlainHTTP: true, Transport: inBubble{m.Platform()}})
				if err != nil {
					t.Fatal(err)
				}
				cfg := audit.Config{Client: client.WithSession(&readback.Borrowed{Stored: kept, Client: client}), Me: func(context.Context) (platform.UserID, error) { return me, nil }, Since: since}
				if r, err = (&readback.Books{Reader: d}).CompareReposts(context.Background(), "bot", &cfg); err != nil {
					t.Fatal(err)
				}
			})
			var b bytes.Buffer
			r.Print(&b)
			return r, b.String()
		}
		if r, said := audited(); !r.IsComplete() || r.Compared != 2 || len(r.Unplanned) != 0 {
			t.Errorf("nothing is wrong: %s", said)
		}
		other := m.Platform().Post(m.Platform().AddPerson(emulator.Person{Username: "leo"}), "look at this")
		m.Platform().Repost(me, other)
		m.Platform().Unrepost(me, m.posts[0])
		r, said := audited()
		if r.IsComplete() || len(r.Missing) != 1 || r.Missing[0].Post != m.posts[0] || len(r.Unplanned) != 1 || r.Unplanned[0].Post != other {
			t.Errorf("%+v", r)
		}
		for _, want := range []string{"2 compared, 1 missing, 1 that no campaign has made", "reposted for spring-menu@2027-03-13T09:30", "by hand, by a rule or by another program"} {
			if !strings.Contains(said, want) {
				t.Errorf("it does not say %q:\n%s", want, said)
			}
		}
		// When somebody reposted is not told by the platform, which shows when the post was written: what is recent is above what is not.
		old := m.Platform().Post(m.author, "old")
		m.Platform().Post(me, "an own one")
		m.Advance(2 * time.Hour)
		since = time.Now().Add(-time.Hour)
		if r, said := audited(); len(r.Unplanned) != 0 {
			t.Errorf("what was reposted before is told: %s", said)
		}
		m.Platform().Repost(me, old)
		if r, said := audited(); len(r.Unplanned) != 1 || r.Unplanned[0].Post != old {
			t.Errorf("a post that was written before, and is reposted now: %s", said)
		}
		since = time.Time{}
		m.Platform().Unrepost(me, old)
		m.Platform().Unrepost(me, m.posts[1])
		m.Platform().Unrepost(me, other)
		if r, said := audited(); r.Compared != 0 || len(r.Notes) != 1 || !strings.Contains(said, "shows no reposts at all") {
			t.Errorf("a page without reposts: %s", said)
		}
	})
}
