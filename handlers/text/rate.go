package text

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Rate is a number of things in a time: 50 in 10m.
type Rate struct {
	Max int
	In  time.Duration
}

// ParseRate reads a rate. The error says how to write it.
func ParseRate(s string) (Rate, error) {
	number, in, _ := strings.Cut(s, " in ")
	most, ok := parseCount(number)
	d, err := parseLength(in)
	if !ok || err != nil || d == 0 {
		return Rate{}, errors.New("write it like 50 in 10m")
	}
	return Rate{most, d}, nil
}

// FromText reads a rate.
func (r *Rate) FromText(n Node) Problems {
	return readValue(n, r, "a number in a time such as 50 in 10m", ParseRate)
}

// String returns the rate as people write it.
func (r Rate) String() string { return fmt.Sprintf("%d in %s", r.Max, length(r.In)) }

// JSONSchemaPattern returns the pattern of a rate.
func (Rate) JSONSchemaPattern() string { return `^\d+ in (?:\d+[wdhms])+$` }

// JSONSchemaExamples returns rates as people write them.
func (Rate) JSONSchemaExamples() []string { return []string{"50 in 10m", "3 in 1h"} }
