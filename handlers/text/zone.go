package text

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known also where the system has no list of them

	"github.com/nectar-bot/nectar/internal/textfile"
)

// Zone is a time zone by its name: Europe/Lisbon. The zero value has no Location.
type Zone struct{ *time.Location }

// ParseZone reads a time zone. The error says how to write it.
func ParseZone(s string) (Zone, error) {
	if s == "UTC" {
		return Zone{time.UTC}, nil
	}
	if strings.Contains(s, "/") {
		if loc, err := time.LoadLocation(s); err == nil {
			return Zone{loc}, nil
		}
		return Zone{}, errors.New("there is no such place in the list of time zones: write it like Europe/Lisbon or America/New_York")
	}
	if near := textfile.NearestWord(s, []string{"Lisbon", "London", "Paris", "Berlin", "Madrid", "Rome"}); near != "" {
		return Zone{}, fmt.Errorf("write Europe/%s", near)
	}
	return Zone{}, errors.New("write it like Europe/Lisbon or America/New_York")
}

// FromText reads a time zone.
func (z *Zone) FromText(n textfile.Node) textfile.Problems {
	return textfile.ReadValue(n, z, "a time zone such as Europe/Lisbon", ParseZone)
}

// String returns the name of the zone, "" for the zero value.
func (z Zone) String() string {
	if z.Location == nil {
		return ""
	}
	return z.Location.String()
}
