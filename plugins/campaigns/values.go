package campaigns

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/nectar-bot/nectar/bot"
)

// The names of what is kept for an account: what it has published, which campaigns there are memories of, an edit that waits, the last one that came into force, a wrong clock, and
// for each campaign that it has ever had a memory and, while it is in force, how it was written. The mark is another one whenever
// something else is: who knows what stood beside it needs to read nothing but the mark.
const (
	usesName    = "uses"
	knownName   = "known" // is kept for every account that has ever had a campaign, and for no other
	waitingName = "waiting"
	editName    = "edit"
	clockName   = "clock" // a wrong clock, or the last one that was
	markName    = "mark"
	memoryName  = "memory/" // without what stands under the next two
	forceName   = "force/"  // of its slots, what is in force
	movedName   = "moved/"  // slots that people have given another minute: a version that does not know of them leaves them
	sheetName   = "book/"   // and a number: slots that are over
	appliedName = "applied/"
)

// values are what is kept for an account, as it stands in the store: what a turn leaves as it was is recognised by that, and not written
// again.
type values struct {
	mark    string
	raw     map[string]string // by name
	changed []string          // names, in the order in which they are stored
	err     error
}

// source returns what is kept under a name; false when nothing is.
type source func(name string) (raw json.RawMessage, kept bool, err error)

// read reads a value; false when nothing is kept.
func (v *values) read(from source, name string, to any) (bool, error) {
	raw, kept, err := from(name)
	if err != nil || !kept {
		return false, err
	}
	v.raw[name] = string(raw)
	if err := json.Unmarshal(raw, to); err != nil {
		return false, fmt.Errorf("decode what is kept of campaigns as %s: %w", name, err)
	}
	return true, nil
}

// set changes a value, unless it reads as it was.
func (v *values) set(name string, now any) {
	raw, err := json.Marshal(now)
	if err != nil {
		v.err = fmt.Errorf("keep %s of campaigns: %w", name, err)
		return
	}
	v.setEncoded(name, string(raw))
}

// setEncoded is set of a value that is encoded; "" leaves nothing of it.
func (v *values) setEncoded(name, raw string) {
	switch {
	case v.raw[name] == raw:
		return
	case raw == "":
		delete(v.raw, name)
	default:
		v.raw[name] = raw
	}
	v.changed = append(v.changed, name)
}

// dropValue leaves nothing of a value.
func (v *values) dropValue(name string) { v.setEncoded(name, "") }

// store stores what has changed, with another mark. That is made of what it was and of what has changed, so that the same stands
// beside the same mark, by any turn. It reports whether anything has changed.
func (v *values) store(ctx context.Context, t *bot.Turn) (bool, error) {
	if v.err != nil || len(v.changed) == 0 {
		return false, v.err
	}
	sum := sha256.New()
	sum.Write([]byte(v.mark + "\n"))
	for _, name := range v.changed {
		value, raw := bot.NewAccountValue[json.RawMessage](group, name), v.raw[name]
		sum.Write(fmt.Appendf(nil, "%s %d %s\n", name, len(raw), raw))
		err := error(nil)
		if raw == "" {
			err = value.Delete(ctx, t)
		} else {
			err = value.Save(ctx, t, json.RawMessage(raw))
		}
		if err != nil {
			return false, err
		}
	}
	v.mark, v.changed = hex.EncodeToString(sum.Sum(nil)[:12]), nil
	return true, bot.NewAccountValue[string](group, markName).Save(ctx, t, v.mark)
}
