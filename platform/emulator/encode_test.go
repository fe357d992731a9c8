package emulator

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nectar-bot/nectar/platform"
	"pgregory.net/rapid"
)

// Whatever people write survives the way into JSON and HTML and back.
func TestTextsDecodeToThemselves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.String().Draw(t, "text"), "")
		d := Dialect{UnicodeEscapes: rapid.Bool().Draw(t, "escapes"), RawText: rapid.Bool().Draw(t, "raw")}
		e := encoder{dialect: &d}
		e.openObject()
		e.writeWords("k", text)
		e.closeObject()
		var got map[string]string
		if err := json.Unmarshal(e.buf, &got); err != nil {
			t.Fatalf("%s: %v", e.buf, err)
		}
		back := got["k"]
		if !d.RawText {
			if strings.ContainsAny(back, `<>"'`) {
				t.Fatalf("%q is not escaped in %q", text, back)
			}
			back = html.UnescapeString(back)
		}
		if back != text {
			t.Fatalf("%q came back as %q", text, back)
		}
		if d.UnicodeEscapes && slices.ContainsFunc(e.buf, func(c byte) bool { return c > 127 }) {
			t.Fatalf("%q is not ASCII", e.buf)
		}
	})
}

func TestParamsReadWhatURLValuesWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := url.Values(rapid.MapOf(rapid.String(), rapid.SliceOfN(rapid.String(), 1, 3)).Draw(t, "values"))
		var p params
		if err := p.parse(values.Encode()); err != nil {
			t.Fatal(err)
		}
		for k, v := range values {
			if got := p.get(k); got != v[len(v)-1] {
				t.Fatalf("%q = %q, want the last of %q", k, got, v)
			}
		}
	})
}

// A roll is a list with everything once, however it came there.
func TestRollKeepsOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var r roll[int]
		var want []rollEntry[int]
		key := rapid.IntRange(1, 8)
		for id := range platform.RowID(rapid.IntRange(0, 60).Draw(t, "steps")) {
			k := key.Draw(t, "key")
			i := slices.IndexFunc(want, func(w rollEntry[int]) bool { return w.key == k })
			if r.has(k) != (i >= 0) {
				t.Fatalf("has(%d) = %v in %v", k, r.has(k), want)
			}
			if i < 0 {
				r.add(2*id+2, k)
				want = append(want, rollEntry[int]{2*id + 2, k})
				continue
			}
			if got, ok := r.at(want[i].id); !ok || got != k {
				t.Fatalf("at(%d) = %d, %v", want[i].id, got, ok)
			}
			if !r.remove(k) || r.remove(k) {
				t.Fatalf("remove(%d) works once", k)
			}
			want = slices.Delete(want, i, i+1)
		}
		offset := platform.RowID(rapid.IntRange(0, 130).Draw(t, "offset"))
		size := rapid.IntRange(1, 10).Draw(t, "size")
		var page []rollEntry[int]
		for _, w := range slices.Backward(want) {
			if len(page) < size && (offset == 0 || w.id < offset) && w.key != 3 {
				page = append(page, w)
			}
		}
		got := r.rowsBefore(offset, size, func(k int) bool { return k != 3 })
		if diff := cmp.Diff(page, got, cmp.AllowUnexported(rollEntry[int]{}), cmpopts.EquateEmpty()); diff != "" || r.len() != len(want) {
			t.Fatal(diff)
		}
	})
}

func TestAgo(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration][2]string{
		-time.Second:             {"just now", "только что"},
		999 * time.Millisecond:   {"just now", "только что"},
		time.Second:              {"1 second ago", "1 сек. назад"},
		24 * time.Second:         {"24 seconds ago", "24 сек. назад"},
		61 * time.Second:         {"1 minute ago", "1 мин. назад"},
		59*time.Minute + 59*1e9:  {"59 minutes ago", "59 мин. назад"},
		19 * time.Hour:           {"19 hours ago", "19 ч. назад"},
		2 * day:                  {"2 days ago", "2 дн. назад"},
		8 * day:                  {"1 week ago", "1 нед. назад"},
		70 * day:                 {"2 months ago", "2 мес. назад"},
		800 * day:                {"2 years ago", "2 г. назад"},
		364*day + 23*time.Hour:   {"12 months ago", "12 мес. назад"},
		365*day + 30*time.Minute: {"1 year ago", "1 г. назад"},
	} {
		for i, localised := range []bool{false, true} {
			e := encoder{dialect: &Dialect{Localised: localised}}
			e.appendAgo(d)
			if string(e.buf) != want[i] {
				t.Errorf("%v ago: %q, want %q", d, e.buf, want[i])
			}
		}
	}
}

func TestMarkedWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "[]",
		"@":                           "[]",
		"@ana":                        "[ana]",
		"hi @ana, and @ЛЕО_1! @":      "[ana ЛЕО_1]",
		"write to a@b.example or @c.": "[c]",
		"(@ana)@bob":                  "[ana bob]",
		"@@ana":                       "[ana]",
	} {
		if got := fmt.Sprint(slices.Collect(markedWords(text, '@'))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
