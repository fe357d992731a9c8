package campaigns_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A repost that somebody took back by hand is seen at the next reading: the post stays out, which people are told once, until one of
// them allows it.
func TestUndoneByHand(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 1, anew, func(d *market) {
		d.Account("bot").Tell("campaigns/lifts", "yes")
		d.until("03-13 12:00")
		me := d.Account("bot").ID()
		d.Platform().Unrepost(me, d.posts[0])
		d.until("03-15 12:00")
		if got := d.happened(); len(got) != 1 {
			t.Errorf("%q\n%s", got, d.book())
		}
		d.says("03-14T10:30", "somebody took the repost back by hand, seen on Sun 14 March 10:")
		if n := strings.Count(d.told(), "somebody took the repost back by hand"); n != 1 {
			t.Errorf("it is told %d times: %s", n, d.told())
		}
		d.Account("bot").Tell("campaigns/allow", fmt.Sprintf("spring-menu %d", d.posts[0]))
		d.until("03-16 13:00")
		if got := d.happened(); len(got) != 2 || !strings.Contains(got[1], " repost ") {
			t.Errorf("%q\n%s", got, d.book())
		}
	})
}

// A second bot with the same files, the same jitter and the same second does what this one does. The post ends reposted: what one
// takes back, both see, and make again.
func TestSecondBotWithTheSameFiles(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 2, menu, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 0)
		d.Platform().Repost(d.Account("bot").ID(), d.posts[0]) // it was a little faster
		d.before(planned[1], time.Minute)
		if !d.Platform().Reposted(d.Account("bot").ID(), d.posts[0]) {
			t.Errorf("%q\n%s", d.happened(), d.book())
		}
		d.Advance(time.Hour)
		if !d.Platform().Reposted(d.Account("bot").ID(), d.posts[1]) {
			t.Errorf("%q\n%s", d.happened(), d.book())
		}
	})
}

// What nobody lets us see gives way to the next post: an author who blocked us, or whose profile is private now.
func TestPostsThatAreHidden(t *testing.T) {
	t.Parallel()
	for name, hide := range map[string]func(d *market){
		"blocked": func(d *market) { d.Platform().Block(d.author, d.Account("bot").ID()) },
		"private": func(d *market) { d.Platform().SetPrivacy(d.author, true, true) },
	} {
		t.Run(name, func(t *testing.T) {
			effort.Case(t)
			inMarket(t, 1, func(d *market) campaigns.Campaign {
				other := d.Platform().AddPerson(emulator.Person{Username: "neighbour"})
				d.posts = append(d.posts, d.Platform().Post(other, "news"))
				return menu(d)
			}, func(d *market) {
				hide(d)
				d.until("03-13 11:00")
				if got := d.happened(); len(got) != 1 || !strings.HasSuffix(got[0], fmt.Sprintf("repost %d", d.posts[1])) {
					t.Errorf("%q\n%s", got, d.book())
				}
				d.says("03-13T09:30", "it could not be seen on")
			})
		})
	}
}

// A post that was found, approved, and is gone at its slot leaves the slot empty: no other one comes in its place.
func TestFoundPostIsGoneAtItsSlot(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 2, func(d *market) campaigns.Campaign {
		c := menu(d)
		c.Items = []campaigns.Item{{Key: campaigns.FoundKey("partner_cafe", "#springmenu"), From: "partner_cafe", Tag: "#springmenu"}}
		c.Each, c.Lines = 0, []campaigns.Line{line(t, "Sat 12:45")}
		return c
	}, func(d *market) {
		d.until("03-13 08:00")
		held := d.held()
		if len(held) != 1 {
			t.Fatalf("%+v", held)
		}
		d.approve()
		d.Platform().DeletePost(d.author, held[0].Post)
		d.until("03-13 14:00")
		d.same()
		d.says("03-13T12:45", "skip: it was prepared for")
	})
}

// The store was restored from an older copy: our own page shows a repost that the book does not know. It counts as made by hand, so
// it is not made a second time, and the slot has the next post.
func TestRestoredFromAnOlderCopy(t *testing.T) {
	t.Parallel()
	effort.Shared(t)
	inMarket(t, 3, menu, func(d *market) {
		planned := d.planned()
		d.before(planned[0], 30*time.Minute)
		d.Stop()
		older := d.Database()
		kept := copies(t, older)
		d.Start()
		d.until("03-13 11:00")
		d.same(planned[0])
		d.Stop()
		kept.back(t, older)
		d.Start()
		d.until("03-13 14:00")
		d.same(planned[0], planned[1])
		d.says("03-13T09:30", "skip")
	})
}

// copied are the files of a database.
type copied map[string][]byte

func copies(t *testing.T, path string) copied {
	t.Helper()
	kept := copied{}
	for _, end := range []string{"", "-wal", "-shm"} {
		if f, err := os.Open(path + end); err == nil {
			kept[end], err = io.ReadAll(f)
			if closed := f.Close(); err != nil || closed != nil {
				t.Fatal(err, closed)
			}
		}
	}
	return kept
}

// back puts them back.
func (c copied) back(t *testing.T, path string) {
	t.Helper()
	for _, end := range []string{"", "-wal", "-shm"} {
		if raw, is := c[end]; is {
			if err := os.WriteFile(path+end, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Remove(path + end); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}
