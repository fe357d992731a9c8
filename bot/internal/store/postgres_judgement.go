package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
)

const selectJudged = `SELECT name, version, ` + remote.Now + ` - seen_at, seen_at, judged FROM worker WHERE state <> 3 ORDER BY name`

// judgeWorkers returns how the workers stand that share the database, all together.
func (in *Inspector) judgeWorkers(ctx context.Context, running bool) (j record.Judgement, err error) {
	if err := in.eachRare(ctx, selectJudged, func(rows scanner) error {
		var name, version, judged string
		var silent, seen int64
		if err := rows.Scan(&name, &version, &silent, &seen, &judged); err != nil {
			return err
		}
		if at := time.UnixMicro(seen); at.After(j.Seen) {
			j.Version, j.Seen = version, at
		}
		addWorker(&j, name, time.Duration(silent)*time.Microsecond, judged)
		return nil
	}); err != nil {
		return j, fmt.Errorf("read how the workers stand: %w", remote.ExplainError(err))
	}
	if running {
		return j, nil
	}
	elsewhere, _, err := remote.OnOtherServer(ctx, in.db)
	switch {
	case err != nil:
		return j, remote.ExplainError(err)
	case elsewhere:
		j.Process = append(j.Process, record.Trouble{
			Why: event.Because(record.TroubleElsewhere), Since: j.Seen, Says: "no worker begins, since the database has come to another server, and the one of before may be alive",
			Do: "make sure that no bot works on that one; then nectar restored, or nectar restored --nothing-lost",
		})
	default:
		j.Process = append(j.Process, record.Trouble{Why: event.Because(record.TroubleNone), Since: j.Seen, Says: "no worker runs", Do: "start one: nectar run"})
	}
	return j, nil
}

// addWorker takes what a worker says of itself into what all of them say.
func addWorker(j *record.Judgement, name string, silent time.Duration, judged string) {
	var its record.Judgement
	if json.Unmarshal([]byte(judged), &its) != nil { // of an older version, or not yet said
		its = record.Judgement{}
	}
	if silent > silentAfter {
		its.Process = append(its.Process, record.Trouble{
			Why: event.Because(record.TroubleSilent), Since: time.Now().Add(-silent), Says: "it has shown no sign of life since", Do: "look at its log and at its machine; others take its accounts over",
		})
	}
	for i := range its.Process {
		its.Process[i].Worker = name
	}
	j.Process, j.More = append(j.Process, its.Process...), j.More+its.More
	for account, all := range its.Accounts {
		if j.Accounts == nil {
			j.Accounts = map[event.Account][]record.Trouble{}
		}
		for i := range all {
			all[i].Worker = name
		}
		j.Accounts[account] = append(j.Accounts[account], all...)
	}
}
