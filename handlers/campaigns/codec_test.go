package campaigns_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/handlers/campaigns"
)

// fill gives every field that is not the zero value a value of its own, so that none can be forgotten.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString("text" + strings.Repeat("x", *n%7))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if v.Type() != reflect.TypeFor[*time.Location]() {
			fill(v.Elem(), n)
		}
	default:
		panic("this test does not know how to fill a " + v.Type().String())
	}
}

// To which platform links lead is known of the files alone: what was kept before that was known is the same campaign.
func TestPlatformIsNotKept(t *testing.T) {
	t.Parallel()
	kept := func(platform string) string {
		encoded, err := campaigns.Encode(daily(t, func(c *campaigns.Campaign) { c.Items[0].Platform = platform }))
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	if was, is := kept(""), kept("social.example"); was != is {
		t.Errorf("an upgrade edits it:\n%s\n%s", was, is)
	}
}

// Days that are left out are kept as they were before there were several in one: an edit of nobody would wait otherwise after an upgrade.
func TestExceptIsKeptAsBefore(t *testing.T) {
	t.Parallel()
	for written, kept := range map[string]string{
		"2027-12-25":             `"Except":[{"Year":2027,"Month":12,"Day":25}]`,
		"12-25":                  `"Except":[{"Year":0,"Month":12,"Day":25}]`,
		"2027-08-01..2027-08-31": `"Except":[{"From":{"Year":2027,"Month":8,"Day":1},"To":{"Year":2027,"Month":8,"Day":31}}]`,
	} {
		c := daily(t, func(c *campaigns.Campaign) { c.Except = append(c.Except, dates(t, written)) })
		encoded, err := campaigns.Encode(c)
		if err != nil || !strings.Contains(string(encoded), kept) {
			t.Fatalf("%s is kept as %s, error %v", written, encoded, err)
		}
		back, err := campaigns.Decode(encoded)
		if err != nil || len(back.Except) != 1 || back.Except[0] != c.Except[0] {
			t.Errorf("%s: error %v, %+v", written, err, back)
		}
	}
}

// What is kept of a campaign is all of it, also what a later version adds.
func TestEncodeEveryField(t *testing.T) {
	t.Parallel()
	var raw campaigns.Campaign
	n := 0
	fill(reflect.ValueOf(&raw).Elem(), &n)
	raw.Zone = zone(t, "America/New_York")
	raw.Status, raw.Items[0].Status = campaigns.Live, campaigns.Paused
	raw.Lines[0].Own = raw.Items[0].Key
	raw.Jitter = 12 * time.Minute
	c, err := campaigns.New(raw)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := campaigns.Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := campaigns.Decode(encoded)
	if err != nil {
		t.Fatalf("%v: %s", err, encoded)
	}
	same := []cmp.Option{cmpopts.IgnoreUnexported(campaigns.Campaign{}), cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() })}
	if diff := cmp.Diff(c, got, same...); diff != "" {
		t.Error(diff)
	}
	if again, err := campaigns.Encode(got); err != nil || string(again) != string(encoded) {
		t.Errorf("encoded again it reads %s, %v, and was %s", again, err, encoded)
	}
}

// What cannot be read says why.
func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for encoded, want := range map[string]string{
		"{":                             "decode a campaign: unexpected end",
		`{"ID":"menu","Zone":"Mars/X"}`: "decode the campaign menu: unknown time zone Mars/X",
		`{"Zone":"UTC"}`:                "a campaign needs an id",
	} {
		if _, err := campaigns.Decode([]byte(encoded)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", encoded, err)
		}
	}
}
