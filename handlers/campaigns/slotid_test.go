package campaigns_test

import (
	"encoding/json"
	"testing"

	"github.com/nectar-bot/nectar/handlers/campaigns"
	"github.com/nectar-bot/nectar/handlers/text"
	"pgregory.net/rapid"
)

func TestSlotIDIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := campaigns.SlotID{
			Campaign: rapid.StringMatching(`[\pL\d_@T-]{1,12}`).Draw(t, "campaign"),
			Day:      text.Day{Year: rapid.IntRange(0, 9999).Draw(t, "year"), Month: 2, Day: rapid.IntRange(1, 28).Draw(t, "day")},
			Clock:    text.Clock(rapid.IntRange(0, 1439).Draw(t, "clock")),
		}
		if got, err := campaigns.ParseSlotID(id.String()); err != nil || got != id {
			t.Fatalf("%s is read as %v, %v", id, got, err)
		}
	})
}

func TestSlotIDsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "spring-menu", "@2027-03-16T09:30", "spring-menu@", "spring-menu@2027-03-16", "spring-menu@2027-03-16T9:30", "spring-menu@2027-03-16T24:00",
		"spring-menu@2027-03-16 09:30", "spring-menu@2027-02-30T09:30", "spring-menu@2027-03-16T09:60", "spring-menu@2027-03-16T09:30Z", "spring-menu@27-03-16T09:30",
		"spring-menu@2027-03-16T09:30T",
	} {
		if id, err := campaigns.ParseSlotID(s); err == nil || err.Error() != "write a slot like spring-menu@2027-03-16T09:30" {
			t.Errorf("%q is read as %v, %v", s, id, err)
		}
	}
	var m map[campaigns.SlotID]int
	if err := json.Unmarshal([]byte(`{"spring-menu@2027-03-16T09:30": 1}`), &m); err != nil || len(m) != 1 {
		t.Errorf("as a key of JSON: %v %v", m, err)
	}
}

// FuzzParseSlotID: what is read is written as it was read.
func FuzzParseSlotID(f *testing.F) {
	f.Add("spring-menu@2027-03-16T09:30")
	f.Add("a@b@0000-01-01T00:00")
	f.Add("ü@2028-02-29T23:59")
	f.Add("x@2027-3-16T09:30")
	f.Fuzz(func(t *testing.T, s string) {
		if id, err := campaigns.ParseSlotID(s); err == nil && id.String() != s {
			t.Errorf("%q is read as %s", s, id)
		}
	})
}
