package store

import (
	"database/sql/driver"
	"encoding/json"
	"strconv"
)

// numbers and words are lists as parameters of a statement. SQLite gets them as JSON, for json_each.
type (
	numbers []int64
	words   []string
)

// list makes numbers of what they count.
func list[N ~int64](of []N) numbers {
	all := make(numbers, len(of))
	for i, n := range of {
		all[i] = int64(n)
	}
	return all
}

// Value returns the list as JSON.
func (n numbers) Value() (driver.Value, error) {
	b := make([]byte, 1, 2+20*len(n))
	b[0] = '['
	for i, x := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, x, 10)
	}
	return string(append(b, ']')), nil
}

// Value returns the list as JSON.
func (w words) Value() (driver.Value, error) { return w.json(), nil }

func (w words) json() string {
	if len(w) == 0 {
		return "[]"
	}
	b, err := json.Marshal([]string(w))
	if err != nil {
		panic(err) // texts always encode
	}
	return string(b)
}
