package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// observe names what a client sees of a call.
func observe(got answer, took time.Duration) string {
	switch {
	case errors.Is(got.Err, context.DeadlineExceeded):
		return "endless"
	case got.Err != nil:
		return "cut"
	case got.Status == http.StatusSwitchingProtocols:
		return "switched"
	case got.Status == http.StatusTooManyRequests:
		return "too many"
	case got.Status == http.StatusBadGateway:
		return "502"
	case strings.HasPrefix(got.Body, "<br"):
		return "notice"
	case !json.Valid([]byte(got.Body)):
		return "truncated"
	case got.Code != 200:
		return fmt.Sprint("code ", got.Code)
	case took > 0:
		return "slow"
	default:
		return "fine"
	}
}

func TestFaultsAsAClientSeesThem(t *testing.T) {
	t.Parallel()
	for fault, c := range map[Fault]struct {
		seen    string
		handled bool
	}{
		NoFault:      {"fine", true},
		CutBefore:    {"cut", false},
		CutAfter:     {"cut", true},
		Err500Before: {"code 500", false},
		Err500After:  {"code 500", true},
		Bad502:       {"502", false},
		Slow:         {"slow", true},
		Truncated:    {"truncated", true},
		Notice:       {"notice", true},
		TooMany:      {"too many", false},
		ExpireEarly:  {"code 401", false},
		Revoke:       {"code 401", false},
		Late:         {"cut", false},
		Switched:     {"switched", true},
		Endless:      {"endless", true},
	} {
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, account, a := signedIn(t, Config{Faults: Faults{Delay: time.Second}})
				ana := p.AddPerson(Person{Username: "ana"})
				p.Disturb("send_message", NoFault, fault)
				send := func() string {
					start := time.Now()
					got := a.post("send_message", "user_id", text(ana), "type", "text", "message", "hi")
					return observe(got, time.Since(start))
				}
				if first := send(); first != "fine" {
					t.Errorf("the spared call was %s", first)
				}
				seen := send()
				handled := len(p.Messages(account, ana)) == 2
				if seen != c.seen || handled != c.handled {
					t.Errorf("seen %q, handled %v; want %q, %v", seen, handled, c.seen, c.handled)
				}
				refreshed := a.post("refresh_access_token", "refresh_token", a.refresh).Code == 200
				if refreshed != (fault != Revoke) {
					t.Errorf("the refresh token works: %v", refreshed)
				}
				if p.Calls("send_message") != 2 {
					t.Errorf("%d calls", p.Calls("send_message"))
				}
			})
		})
	}
}

func TestTooManyComesWithRetryAfterAndWithout(t *testing.T) {
	t.Parallel()
	p, _, a := signedIn(t, Config{})
	p.SetFaults(Faults{TooMany: 1})
	with, without, envelopes := 0, 0, 0
	for i := range 40 {
		got := a.post("follow", "user_id", text(i))
		switch got.Header.Get("Retry-After") {
		case "1":
			with++
		case "":
			without++
		}
		if got.Code == 429 {
			envelopes++
		}
	}
	if with == 0 || without == 0 || envelopes == 0 || envelopes == 40 {
		t.Errorf("%d with Retry-After, %d without, %d of 40 with an envelope", with, without, envelopes)
	}
}

func TestASlowCallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, account, a := signedIn(t, Config{Faults: Faults{Delay: time.Hour}})
		ana := p.AddPerson(Person{Username: "ana"})
		p.Disturb("send_message", Slow)
		body := strings.NewReader(a.values([]string{"user_id", text(ana), "type", "text", "message", "hi"}).Encode())
		r := a.request(http.MethodPost, "send_message", "application/x-www-form-urlencoded", body)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := a.do(r.WithContext(ctx)); got.Err == nil {
			t.Errorf("answer %s", got.Body)
		}
		time.Sleep(2 * time.Hour)
		if n := len(p.Messages(account, ana)); n != 0 {
			t.Errorf("%d messages of a caller that had gone", n)
		}
	})
}

// A late call takes effect when nobody waits for it any more, as a proxy may let it.
func TestALateCallIsHandledWithoutItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, account, a := signedIn(t, Config{Faults: Faults{Lag: time.Hour}})
		ana := p.AddPerson(Person{Username: "ana"})
		p.Disturb("send_message", Late)
		if got := a.post("send_message", "user_id", text(ana), "type", "text", "message", "hi"); got.Err == nil {
			t.Errorf("answer %s", got.Body)
		}
		for _, c := range []struct {
			pass time.Duration
			want int
		}{{30*time.Minute - time.Second, 0}, {30*time.Minute + 2*time.Second, 1}} {
			time.Sleep(c.pass)
			if got := p.Messages(account, ana); len(got) != c.want {
				t.Errorf("%d messages, want %d", len(got), c.want)
			}
		}
	})
}

// faultInjector sends messages in that order, each three times, and returns what each send looked like.
func faultInjector(t *testing.T, seed uint64, order []int) map[string][]string {
	t.Helper()
	seen := map[string][]string{}
	synctest.Test(t, func(t *testing.T) {
		f := Hostile()
		f.ExpireEarly, f.Revoke = 0, 0 // they would disturb other calls, too
		p, _, a := world(t, Config{Seed: seed})
		ana := p.AddPerson(Person{Username: "ana"})
		a.signIn()
		p.SetFaults(f)
		for range 3 {
			for _, i := range order {
				key := fmt.Sprint("message ", i)
				start := time.Now()
				got := a.post("send_message", "user_id", text(ana), "type", "text", "message", key)
				seen[key] = append(seen[key], observe(got, time.Since(start)))
			}
		}
	})
	return seen
}

func TestFaultsDoNotDependOnTheOrderOfCalls(t *testing.T) {
	t.Parallel()
	const calls = 200
	ordered := make([]int, calls)
	for i := range ordered {
		ordered[i] = i
	}
	var first map[string][]string
	for seed := range uint64(3) {
		want := faultInjector(t, seed, ordered)
		shuffled := rand.New(rand.NewPCG(seed, 1)).Perm(calls)
		if diff := cmp.Diff(want, faultInjector(t, seed, shuffled)); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		if first == nil {
			first = want
		} else if cmp.Equal(first, want) {
			t.Errorf("seeds 0 and %d draw the same", seed)
		}
		stuck := 0
		for _, tries := range want {
			if tries[0] != "fine" && tries[0] == tries[1] && tries[1] == tries[2] {
				stuck++
			}
		}
		if stuck > calls/20 {
			t.Errorf("seed %d: %d of %d calls failed the same way three times", seed, stuck, calls)
		}
	}
}

func TestPresetsDisturbTheirShare(t *testing.T) {
	t.Parallel()
	for name, share := range map[string]float64{"none": 0, "rough": 0.05, "hostile": 0.2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, err := ParseFaults(name)
				if err != nil {
					t.Fatal(err)
				}
				const calls = 4000
				p, account, a := world(t, Config{Seed: 7})
				p.SetFaults(f)
				disturbed := 0
				for i := range calls {
					if a.session == "" {
						p.SetFaults(Faults{})
						a.signIn()
						p.SetFaults(f)
					}
					start := time.Now()
					got := a.post("search_people", "query", "nectar", "page_size", text(i))
					seen := observe(got, time.Since(start))
					if seen != "fine" {
						disturbed++
					}
					if seen == "code 401" {
						p.Revoke(account)
						a.session = ""
					}
				}
				if got := float64(disturbed) / calls; got < share*0.8 || got > share*1.2 {
					t.Errorf("%.3f of the calls were disturbed, want %.3f", got, share)
				}
			})
		})
	}
	if _, err := ParseFaults("biblical"); err == nil {
		t.Error("biblical is no preset")
	}
}

func TestFaultsTellAccountsApart(t *testing.T) {
	t.Parallel()
	p := New(Config{Faults: Faults{Err500Before: 0.5}})
	seen := map[string]string{}
	for _, name := range []string{"one", "two"} {
		id := p.AddAccount(Person{Username: name}, name, "secret")
		p.SetOAuth(id, "google", platform.Secret(name))
		a := connect(t, p)
		for a.session == "" {
			got := a.post("login", "email", name, "password", "secret")
			a.session, _ = got.Auth["auth_token"].(string)
		}
		for i := range 40 {
			seen[name] += fmt.Sprint(a.get("get_chats", "x", text(i)).Code, " ")
		}
	}
	if seen["one"] == seen["two"] {
		t.Error("two accounts have the same faults")
	}
}
