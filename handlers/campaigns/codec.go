package campaigns

import (
	"encoding/json"
	"fmt"
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
