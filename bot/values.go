package bot

import (
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/store"
	"github.com/nectar-bot/nectar/bot/record"
)

// values are an account's values as turns are made of them: the changes that are on their way into the store, and what was seen
// there last, which nobody but this bot changes. Should a change come to nothing, or anything else be there, the version tells, and
// who relied on it runs again.
type values struct {
	mu       sync.Mutex                  // guards the fields below
	inFlight map[valueName]valueInFlight // the newest
	seen     map[valueName]record.AccountValue
}

// valueName is a plugin and a name.
type valueName [2]string

const (
	longValue = 256 // bytes: of what is longer only the version is remembered
	mostSeen  = 64  // values of an account that are remembered
)

// valueInFlight is a value that is on its way.
type valueInFlight struct {
	record.AccountValue       // with Version 0 when it is deleted
	by                  int64 // the version of the change
}

// newestValue returns a value that is on its way, or was seen in the store; false when the store has to be asked. Without words, the
// version may be all that it has.
func (vs *values) newestValue(plugin, name string, words bool) (record.AccountValue, bool) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	k := valueName{plugin, name}
	if v, ok := vs.inFlight[k]; ok {
		return v.AccountValue, true
	}
	v, ok := vs.seen[k]
	return v, ok && (!words || v.Value != nil)
}

// noteValue remembers a value that was read, unless a change of it was seen meanwhile.
func (vs *values) noteValue(v *record.AccountValue) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if _, later := vs.seen[valueName{v.Plugin, v.Name}]; !later && v.Version != 0 {
		vs.rememberLocked(*v)
	}
}

// rememberLocked remembers what the store has.
func (vs *values) rememberLocked(v record.AccountValue) {
	k := valueName{v.Plugin, v.Name}
	if vs.seen == nil {
		vs.seen = map[valueName]record.AccountValue{}
	}
	for other := range vs.seen {
		if _, known := vs.seen[k]; known || len(vs.seen) < mostSeen {
			break
		}
		delete(vs.seen, other) // any: it is read again when it is needed
	}
	if len(v.Value) > longValue {
		v.Value = nil
	}
	vs.seen[k] = v
}

// assignVersions gives the changes of a turn their versions. Nobody is told of them before queued, when they are queued in the store:
// what is made of them is queued behind them.
func (vs *values) assignVersions(uses []store.ValueUse, position func() int64) {
	if len(uses) == 0 {
		return
	}
	vs.mu.Lock()
	for i := range uses {
		u := &uses[i]
		if u.Version == 0 {
			continue
		}
		u.Version = position()
		v := valueInFlight{record.AccountValue{Plugin: u.Plugin, Name: u.Name, Version: u.Version, Value: u.Value}, u.Version}
		if u.Value == nil {
			v.Version = 0
		}
		if vs.inFlight == nil {
			vs.inFlight = map[valueName]valueInFlight{}
		}
		vs.inFlight[valueName{u.Plugin, u.Name}] = v
	}
}

// noteQueued ends what leave began.
func (vs *values) noteQueued(uses []store.ValueUse) {
	if len(uses) > 0 {
		vs.mu.Unlock()
	}
}

// noteCommitted notes that the commit of a turn has ended. When it is stored, its changes are what the store has; otherwise what it was made
// of may not be.
func (vs *values) noteCommitted(uses []store.ValueUse, stored bool) {
	if len(uses) == 0 {
		return
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for i := range uses {
		u, k := &uses[i], valueName{uses[i].Plugin, uses[i].Name}
		switch {
		case !stored, u.Version != 0 && u.Value == nil:
			delete(vs.seen, k) //mutate:own-value-seen
		case u.Version != 0:
			vs.rememberLocked(record.AccountValue{Plugin: u.Plugin, Name: u.Name, Version: u.Version, Value: u.Value})
		}
		if v, ok := vs.inFlight[k]; ok && u.Version != 0 && (!stored || v.by == u.Version) {
			delete(vs.inFlight, k)
		}
	}
}
