package autoresponder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/bot/store"
)

const (
	hookTimeout = 10 * time.Second
	hookAnswer  = 64 << 10 // bytes of an answer that are read and thrown away
)

func newHookClient(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, Timeout: hookTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // to wherever that may lead
	}}
}

// message is what a webhook gets.
type message struct {
	ID      string    `json:"id"`
	Who     string    `json:"who"`
	Text    string    `json:"text"`
	Account string    `json:"account"`
	Peer    int64     `json:"peer"`
	At      time.Time `json:"at"`
}

// send brings a notice to a webhook. Its error does not repeat the address, which may hold a key.
func (o *office) send(ctx context.Context, hook string, n *store.Notice) error {
	if err := o.allowed(hook); err != nil {
		return err
	}
	body, err := json.Marshal(message{n.ID, n.Who, n.Text, string(n.Account), int64(n.Peer), n.At.UTC()})
	if err != nil {
		return fmt.Errorf("encode the notice: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hook, bytes.NewReader(body))
	if err != nil {
		return errors.New("the webhook is no address")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := o.client.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err
		}
		return fmt.Errorf("send to the webhook at %s: %w", req.URL.Host, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, hookAnswer))
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("the webhook at %s answers %s", req.URL.Host, resp.Status)
	}
	return nil
}

// allowed tells whether a notice may be sent to an address.
func (o *office) allowed(hook string) error {
	u, err := url.Parse(hook)
	if err != nil || u.Host == "" {
		return errors.New("the webhook is no address: write it like https://hooks.example.org/…")
	}
	if !slices.ContainsFunc(o.cfg.WebhookHosts, func(h string) bool { return place(h, u.Scheme) == place(u.Host, u.Scheme) }) {
		return fmt.Errorf("the host %s is not in NECTAR_WEBHOOK_HOSTS", u.Host)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback())) {
		return fmt.Errorf("the webhook at %s must begin with https://", u.Hostname())
	}
	return nil
}

// place completes a host with the port that a scheme has without one.
func place(host, scheme string) string {
	u := url.URL{Host: strings.ToLower(host)}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[scheme]
	}
	return net.JoinHostPort(u.Hostname(), port) //mutate:webhook-port
}
