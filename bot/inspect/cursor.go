package inspect

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/fnv"
)

// Page is a part of a list, with where it goes on.
type Page[T any] struct {
	Rows []T
	// Next is where the next page begins; "" when there is none. Rows that come meanwhile move no other: none is shown twice, and none that was
	// there is left out.
	Next Cursor
}

// Cursor is a place in a list, as a text that may stand in an address or behind a flag; "" is the beginning. Only the list that it was given
// for, with the same filters, takes it: others return ErrCursor.
type Cursor string

// ErrCursor is the error of a cursor that this list has not given, or that it gave with other filters.
var ErrCursor = errors.New("this cursor is none of this list: take it as the list gave it, and keep the filters")

// usual is how many rows a page has when nobody says so.
const usual = 50

// pageLength returns how many rows a page has.
func pageLength(limit int) int {
	if limit < 1 {
		return usual
	}
	return limit
}

// cursorAt returns the cursor of a place. It has a hash of the list's filters: with others, a caller would get rows twice, or miss some.
func cursorAt[P any](place P, filters ...any) (Cursor, error) {
	data, err := json.Marshal(place)
	if err != nil {
		return "", err
	}
	sum, err := sumOf(filters)
	if err != nil {
		return "", err
	}
	return Cursor(base64.RawURLEncoding.EncodeToString(append(binary.BigEndian.AppendUint32(nil, sum), data...))), nil
}

// placeOf returns the place of a cursor; the zero one for the beginning.
func placeOf[P any](c Cursor, filters ...any) (place P, err error) {
	if c == "" {
		return place, nil
	}
	sum, err := sumOf(filters)
	if err != nil {
		return place, err
	}
	data, no := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if no != nil || len(data) < 4 || binary.BigEndian.Uint32(data) != sum {
		return place, ErrCursor
	}
	d := json.NewDecoder(bytes.NewReader(data[4:]))
	d.DisallowUnknownFields()
	if d.Decode(&place) != nil || d.More() {
		var none P
		return none, ErrCursor
	}
	return place, nil
}

func sumOf(filters []any) (uint32, error) {
	h := fnv.New32a()
	err := json.NewEncoder(h).Encode(filters)
	return h.Sum32(), err
}
