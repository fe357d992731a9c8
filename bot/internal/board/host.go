package board

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nectar-bot/nectar/bot/internal/lease"
	"github.com/nectar-bot/nectar/bot/internal/postgres"
)

const (
	// One statement, so that it shows one moment.
	selectHosts = `SELECT (SELECT count(*) FROM worker WHERE state <> 3),
		coalesce((SELECT json_agg(json_build_object('host', h.host, 'number', h.number, 'asks',
			(SELECT json_agg(json_build_object('worker', s.worker, 'rate', s.rate, 'acts', s.acts, 'polls', s.polls, 'share', s.share))
				FROM share AS s JOIN worker AS w ON w.worker = s.worker AND w.epoch = s.epoch AND w.state <> 3 WHERE s.host = h.host)))
			FROM host AS h)::text, '[]')`
	// Of two workers that have seen the same number one says something, and the other one looks again.
	// Numbers go as text and are cast: so the share that comes back is the one that was said, to the last bit.
	askHost = `WITH me AS (SELECT worker FROM worker WHERE worker = $1 AND epoch = $2 AND state <> 3),
		turn AS (INSERT INTO host AS h (host, per_second, blocked_until, number) SELECT $3, 0, 0, $4::bigint + 1 FROM me
			ON CONFLICT (host) DO UPDATE SET number = h.number + 1 WHERE h.number = $4 RETURNING 1),
		said AS (INSERT INTO share (host, worker, epoch, rate, acts, polls, share)
			SELECT $3, $1, $2, $5::text::double precision, $6::text::double precision, $7::text::double precision, $8::text::double precision FROM turn
			ON CONFLICT (host, worker) DO UPDATE SET epoch = excluded.epoch, rate = excluded.rate, acts = excluded.acts, polls = excluded.polls,
				share = excluded.share RETURNING 1)
		SELECT (SELECT count(*) FROM me), (SELECT count(*) FROM said)`
)

// float is a number as it goes to the server and comes back: the same.
func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// askedHost is a host as a look has it.
type askedHost struct {
	Host   string
	Number int64
	Asks   []struct {
		Worker                   int64
		Rate, Acts, Polls, Share float64
	}
}

// ReadHosts implements lease.Board.
func (b *Board) ReadHosts(ctx context.Context) (*lease.HostViews, error) {
	v, hosts := &lease.HostViews{Hosts: map[string]lease.HostView{}}, ""
	if err := b.askPool().QueryRowContext(ctx, selectHosts).Scan(&v.Workers, &hosts); err != nil {
		return nil, fmt.Errorf("look at the hosts: %w", postgres.ExplainError(err))
	}
	var all []askedHost
	if err := json.Unmarshal([]byte(hosts), &all); err != nil {
		return nil, fmt.Errorf("look at the hosts: %w", err)
	}
	for i := range all {
		h := &all[i]
		seen := lease.HostView{Number: h.Number, Asks: map[int64]lease.Ask{}}
		for _, a := range h.Asks {
			seen.Asks[a.Worker] = lease.Ask{Wish: lease.Wish{Host: h.Host, Acts: a.Acts, Polls: a.Polls}, Rate: a.Rate, Share: a.Share}
		}
		v.Hosts[h.Host] = seen
	}
	return v, nil
}

// AskRate implements lease.Board.
func (b *Board) AskRate(ctx context.Context, s lease.Seat, number int64, a lease.Ask) (bool, error) {
	here, said := 0, 0
	err := b.askPool().QueryRowContext(ctx, askHost, s.Worker, s.Epoch, a.Host, number, float(a.Rate), float(a.Acts), float(a.Polls), float(a.Share)).Scan(&here, &said)
	switch {
	case err != nil:
		return false, fmt.Errorf("say what is asked of a host: %w", postgres.ExplainError(err))
	case here == 0:
		return false, lease.ErrGone
	}
	return said > 0, nil
}
