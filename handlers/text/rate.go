package text

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Rate is a number of things in a time: 50 in 10m.
type Rate struct {
	Max int
	In  time.Duration
}

// parseRate reads a rate. The error says how to write it.
func parseRate(s string) (Rate, error) {
	number, in, _ := strings.Cut(s, " in ")
	most, ok := parseCount(number)
	d, err := parseLength(in)
	if !ok || err != nil || d == 0 {
		return Rate{}, errors.New("write it like 50 in 10m")
	}
	return Rate{most, d}, nil
}

// FromText reads a rate.
func (r *Rate) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, r, "a number in a time such as 50 in 10m", parseRate)
}

// String returns the rate as people write it.
func (r Rate) String() string { return fmt.Sprintf("%d in %s", r.Max, lengthText(r.In)) }
