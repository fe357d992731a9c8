package outbox_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// network is the way to the platform. It takes its time, can be cut, and knows when each call left.
type network struct {
	next   http.RoundTripper
	answer chan struct{} // takes a call that hangs to the platform

	mu    sync.Mutex
	wait  time.Duration // there and back
	cut   bool
	hangs map[string]hang // by endpoint
	calls []callTime
}

// hang says what becomes of calls that are never answered.
type hang uint8

const (
	lost    hang = iota + 1 // never handled
	handled                 // handled at once
)

type callTime struct {
	endpoint string
	at       time.Time
}

var errCut = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("network is unreachable")}

// RoundTrip takes a request to the platform, and its answer back.
func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	endpoint := path.Base(r.URL.Path)
	n.mu.Lock()
	cut, hang, wait := n.cut, n.hangs[endpoint], n.wait
	if !cut {
		n.calls = append(n.calls, callTime{endpoint, time.Now()})
	}
	n.mu.Unlock()
	if cut {
		return nil, errCut
	}
	if err := n.elapse(r.Context(), wait/2); err != nil {
		return nil, err
	}
	switch hang {
	case lost:
		select {
		case <-n.answer:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	case handled:
		resp, err := n.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_ = resp.Body.Close()
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	resp, err := n.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if err := n.elapse(r.Context(), wait/2); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

func (n *network) elapse(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Cut cuts the network, or repairs it.
func (n *network) Cut(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
}

// Wait lets calls take their time.
func (n *network) Wait(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.wait = d
}

// Hang lets the calls of an endpoint hang, or not any more.
func (n *network) Hang(endpoint string, how hang) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.hangs == nil {
		n.hangs = map[string]hang{}
	}
	n.hangs[endpoint] = how
}

// Answer lets one call that is to be lost, and hangs, be answered after all.
func (n *network) Answer() { n.answer <- struct{}{} }

// Times returns when calls of these endpoints left, or of all.
func (n *network) Times(endpoints ...string) []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	var times []time.Time
	for _, c := range n.calls {
		for _, e := range endpoints {
			if c.endpoint == e {
				times = append(times, c.at)
			}
		}
	}
	return times
}

// fixed is a session that does not change.
type fixed platform.Secret

func (f fixed) SessionID(context.Context) (platform.Secret, error) { return platform.Secret(f), nil }

func (f fixed) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return false, nil
}
