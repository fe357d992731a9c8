//go:build unix

package cmd

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/bot/bottest/pgtest"
)

// TestAccountsComeAndGoAllDay: of an account that has gone nothing is left in the process, however often it comes and goes, and
// the metrics tell what is there.
func TestAccountsComeAndGoAllDay(t *testing.T) {
	t.Parallel()
	if effort.Few() {
		t.Skip("accounts come and go two hundred times: NECTAR_TEST=all does it")
	}
	c := newBranches(t)
	c.env = append(c.env, "NECTAR_METRICS=127.0.0.1:0", "NECTAR_CEILING=none")
	c.write(".env", strings.Join(c.env, "\n"))
	c.accounts(shopLine, cafeLine)
	c.run()
	c.works()
	cycle := func(n int) {
		c.accounts(shopLine, cafeLine)
		c.hup(" came")
		c.asks("cafe", fmt.Sprint("ana", n), cafeHours)
		if n%10 == 0 {
			c.accounts(shopLine, strings.Replace(cafeLine, " }", fmt.Sprintf(", pace: %d/s }", 1000+n), 1))
			c.hup("1 account changed")
		}
		c.accounts(shopLine)
		c.hup("1 account went")
	}
	c.accounts(shopLine)
	c.hup("1 account went")
	const warm, times = 20, 200
	for n := range warm {
		cycle(n)
	}
	early := c.metrics()
	for n := range times {
		cycle(warm + n)
	}
	late := c.metrics()
	for patience := time.Now().Add(time.Minute); late.goroutines > early.goroutines+5 && time.Now().Before(patience); late = c.metrics() { //nolint:revive // what ends may take a moment
	}
	t.Logf("%d goroutines before, %d after %d times; live heap %d KiB before, %d KiB after", early.goroutines, late.goroutines, times, early.heap>>10, late.heap>>10)
	if late.goroutines > early.goroutines+5 {
		t.Errorf("there were %d goroutines, and there are %d", early.goroutines, late.goroutines)
	}
	if late.heap > early.heap+early.heap/2+(4<<20) {
		t.Errorf("the heap had %d bytes, and has %d", early.heap, late.heap)
	}
	if strings.Contains(late.text, `account="cafe"`) || !strings.Contains(late.text, `account="shop"`) {
		t.Errorf("these metrics are not of the account that is there:\n%s", late.text)
	}
	c.accounts(shopLine, cafeLine)
	c.hup("1 account came")
	if now := c.metrics(); !strings.Contains(now.text, `account="cafe"`) {
		t.Errorf("the account that has come is in no metrics:\n%s", now.text)
	}
	c.end()
}

// vitals are what metrics tell of the process.
type vitals struct {
	text       string
	goroutines int
	heap       int // that is live, as the garbage collector found last
}

// metrics reads the metrics of the bot.
func (c *branches) metrics() vitals {
	c.Helper()
	address := regexp.MustCompile(`msg="metrics are served" address=(\S+)`).FindStringSubmatch(c.bot.String())
	if address == nil {
		c.Fatalf("it does not say where metrics are:\n%s", c.bot)
	}
	r, err := http.NewRequestWithContext(c.Context(), http.MethodGet, address[1], nil)
	if err != nil {
		c.Fatal(err)
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		c.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		c.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		c.Error(err)
	}
	v := vitals{text: string(body)}
	const bytesToNext = 2 // the collector runs again when the live heap has doubled
	v.goroutines, v.heap = int(c.metric(v.text, "go_goroutines")), int(c.metric(v.text, "go_memstats_next_gc_bytes"))/bytesToNext
	return v
}

// metric returns the value of a metric.
func (c *branches) metric(text, name string) float64 {
	c.Helper()
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
	if found == nil {
		c.Fatalf("there is no %s in\n%s", name, text)
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		c.Fatal(err)
	}
	return n
}

// TestAnAccountComesWhileTheServerIsGone: one that cannot be taken up is tried again by itself.
func TestAnAccountComesWhileTheServerIsGone(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is tried again after ten seconds")
	}
	c := newBranches(t)
	s := pgtest.New(t)
	c.env = append(c.env, "NECTAR_STORE="+s.URL(""), "NECTAR_SECRET_KEY="+strings.Repeat("0f", 32))
	c.write(".env", strings.Join(c.env, "\n"))
	c.accounts(shopLine)
	c.run()
	c.works()
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	c.accounts(shopLine, barLine)
	c.hup("1 account came\" came=[bar]")
	c.bot.Await(t, "a shard cannot be served as a whole yet; trying again\" what=\"the account bar\"")
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	c.bot.Await(t, "what could not be served can be now\" what=\"the account bar\"")
	c.works()
	c.asks("bar", "ana", commonHours)
	c.asks("shop", "ana", commonHours)
	c.end()
}
