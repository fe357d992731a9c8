package campaigns

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// plain is a Campaign as JSON sees it: all that was written, by the names of its fields. What was stored must still be read:
// a field that gets another name is to be read under both.
type plain Campaign

// coded is a campaign in JSON.
type coded struct {
	plain
	Zone string // in the place of Campaign.Zone
}

// Encode returns a campaign as it is kept while it is in force, in JSON. Two are the same when their encodings are.
func Encode(c *Campaign) ([]byte, error) {
	if c.Zone == nil {
		return nil, fmt.Errorf("encode the campaign %s: it has no time zone", c.ID)
	}
	return json.Marshal(coded{plain(*c), c.Zone.String()})
}

// EncodeAll encodes campaigns, by their IDs: no two of them may have the same one.
func EncodeAll(all []*Campaign) (map[string]string, error) {
	encoded := make(map[string]string, len(all))
	for _, c := range all {
		raw, err := Encode(c)
		if err != nil {
			return nil, err
		}
		if _, twice := encoded[c.ID]; twice {
			return nil, fmt.Errorf("two campaigns have the id %s", c.ID)
		}
		encoded[c.ID] = string(raw)
	}
	return encoded, nil
}

// Decode reads what Encode returns. The errors are those of JSON, of a time zone that this machine does not know, and of New.
func Decode(encoded []byte) (*Campaign, error) {
	var from coded
	if err := json.Unmarshal(encoded, &from); err != nil {
		return nil, fmt.Errorf("decode a campaign: %w", err)
	}
	c := Campaign(from.plain)
	zone, err := time.LoadLocation(from.Zone)
	if err != nil {
		return nil, fmt.Errorf("decode the campaign %s: %w", c.ID, err)
	}
	c.Zone = zone
	// As it was read from a file: what New derives is not kept, so that a later version may derive it otherwise.
	return New(c)
}

// A busy account has hundreds of publications within the days that count, and most turns store them. So in JSON one that differs from
// the one before in its time alone, by whole seconds, is the number of those.

// times are moments, by time.
type times []time.Time

// MarshalJSON writes them.
func (t times) MarshalJSON() ([]byte, error) {
	return encodeSteps(t, func(a, b *time.Time) (time.Duration, bool) { return b.Sub(*a), true })
}

// UnmarshalJSON reads what MarshalJSON writes, and plain lists, as older versions have them.
func (t *times) UnmarshalJSON(data []byte) (err error) {
	*t, err = decodeSteps(data, func(t time.Time, d time.Duration) time.Time { return t.Add(d) })
	return err
}

// publications are what an account publishes, by time.
type publications []published

// MarshalJSON writes them.
func (p publications) MarshalJSON() ([]byte, error) {
	return encodeSteps(p, func(a, b *published) (time.Duration, bool) {
		alike := *b
		alike.At = a.At
		return b.At.Sub(a.At), alike == *a
	})
}

// UnmarshalJSON reads what MarshalJSON writes, and plain lists, as older versions have them.
func (p *publications) UnmarshalJSON(data []byte) (err error) {
	*p, err = decodeSteps(data, func(p published, d time.Duration) published {
		p.At = p.At.Add(d)
		return p
	})
	return err
}

// longestStep is the longest step between two neighbours: more would not fit into a Duration.
const longestStep = 200 * 365 * 24 * time.Hour

// encodeSteps writes a list in which later tells how much later one is than another, and whether nothing else differs.
func encodeSteps[T any](all []T, later func(a, b *T) (time.Duration, bool)) ([]byte, error) {
	b := append(make([]byte, 0, 64+8*len(all)), '[')
	for i := range all {
		if i > 0 {
			b = append(b, ',')
			d, same := later(&all[i-1], &all[i])
			if same && d%time.Second == 0 && d.Abs() < longestStep {
				b = strconv.AppendInt(b, int64(d/time.Second), 10)
				continue
			}
		}
		one, err := json.Marshal(all[i])
		if err != nil {
			return nil, err
		}
		b = append(b, one...)
	}
	return append(b, ']'), nil
}

// decodeSteps reads a list.
func decodeSteps[T any](data []byte, after func(T, time.Duration) T) ([]T, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	all := make([]T, len(raw))
	for i, r := range raw {
		if i > 0 && (r[0] == '-' || '0' <= r[0] && r[0] <= '9') {
			n, err := strconv.ParseInt(string(r), 10, 64)
			if err != nil || time.Duration(n).Abs() >= longestStep/time.Second {
				return nil, fmt.Errorf("%s is no number of seconds", r)
			}
			all[i] = after(all[i-1], time.Duration(n)*time.Second)
			continue
		}
		if err := json.Unmarshal(r, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}
