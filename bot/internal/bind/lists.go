package bind

import (
	"database/sql/driver"
	"encoding/json"
	"strconv"
)

// Numbers and Words are lists as parameters of a statement. SQLite gets them as JSON, for json_each.
type (
	Numbers []int64
	Words   []string
)

// NumbersOf makes numbers of what they count.
func NumbersOf[N ~int64](of []N) Numbers {
	all := make(Numbers, len(of))
	for i, n := range of {
		all[i] = int64(n)
	}
	return all
}

// Value returns the list as JSON.
func (n Numbers) Value() (driver.Value, error) { return n.AsJSON(), nil }

// AsJSON is the list as SQLite gets it.
func (n Numbers) AsJSON() string {
	b := make([]byte, 1, 2+20*len(n))
	b[0] = '['
	for i, x := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, x, 10)
	}
	return string(append(b, ']'))
}

// Value returns the list as JSON.
func (w Words) Value() (driver.Value, error) { return w.AsJSON(), nil }

// AsJSON is the list as SQLite gets it.
func (w Words) AsJSON() string {
	if len(w) == 0 {
		return "[]"
	}
	b, err := json.Marshal([]string(w))
	if err != nil {
		panic(err) // texts always encode
	}
	return string(b)
}

// AsParameter makes a parameter of a value: lists and instants stay as they are.
func AsParameter(v *driver.NamedValue) (err error) {
	switch v.Value.(type) {
	case Numbers, Words, Instant:
		return nil
	}
	v.Value, err = driver.DefaultParameterConverter.ConvertValue(v.Value)
	return err
}
