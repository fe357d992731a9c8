package platform_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/platform"
)

// numbered answers with all messages or rows from 1 to n, whatever it is asked for.
func numbered(format string, n int, order func(numbers []int)) transportFunc {
	return func(r *http.Request) (*http.Response, error) {
		numbers := down(n, 1)
		if order != nil {
			order(numbers)
		}
		return respond(r, http.StatusOK, rows(format, numbers...)), nil
	}
}

// shuffled puts numbers out of order, with some of them twice.
func shuffled(numbers []int) {
	for i := range numbers {
		j := i * 7919 % len(numbers)
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
}

// Of a page with more rows than it was asked for, those next to where the reading came from are kept, in whatever order
// they come.
func TestRowsKept(t *testing.T) {
	for name, order := range map[string]func([]int){"descending": nil, "ascending": slices.Reverse[[]int], "unsorted": shuffled} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, platform.Config{Transport: numbered(`{"id":%,"notifier_id":31,"subject":"like","sent_by":31}`, 3000, order)})
			for _, test := range []struct {
				params            platform.MessagesParams
				least, most, many int
			}{
				{platform.MessagesParams{Peer: 31}, 2801, 3000, 200},
				{platform.MessagesParams{Peer: 31, PageSize: 100}, 2601, 3000, 400},
				{platform.MessagesParams{Peer: 31, Before: 1000}, 800, 999, 200},
				{platform.MessagesParams{Peer: 31, After: 1000}, 1001, 1200, 200},
				{platform.MessagesParams{Peer: 31, After: 1000, Whole: true}, 1001, 3000, 2000},
			} {
				got, err := c.Messages(t.Context(), test.params)
				if err != nil || len(got) != test.many || int(got[0].ID) != test.least || int(got[len(got)-1].ID) != test.most {
					t.Errorf("%+v: %d messages, %v", test.params, len(got), err)
				}
			}
			for offset, highest := range map[platform.NotificationID]int{0: 3000, 1000: 999} {
				got, err := c.Notifications(t.Context(), platform.NotificationsParams{Offset: offset})
				var ids []int
				for _, n := range got {
					ids = append(ids, int(n.ID))
				}
				if err != nil || !slices.Equal(ids, down(highest, highest-199)) {
					t.Errorf("below %d: %d rows, %v", offset, len(got), err)
				}
			}
		})
	}
}

// Where rows have no order by their ids, the first ones are kept.
func TestRowsFirst(t *testing.T) {
	c := clientOf(t, platform.Config{Transport: numbered(`{"id":%}`, 3000, shuffled)})
	want := down(3000, 1)
	shuffled(want)
	got, err := c.ThreadReplies(t.Context(), platform.ThreadRepliesParams{Thread: 1})
	var ids []int
	for _, p := range got {
		ids = append(ids, int(p.ID))
	}
	if err != nil || !slices.Equal(ids, want[:200]) {
		t.Errorf("%d posts, %v", len(got), err)
	}
}

// Lists are whole all the same, where a platform sends more than it is asked for: those that go on where the kept rows end, and those
// that do not know the cursor.
func TestListsOfLongPages(t *testing.T) {
	all := down(3000, 1)
	after := func(ids []int, cursor string) []int {
		if cursor == "" {
			return ids
		}
		return ids[slices.Index(ids, atoi(cursor))+1:]
	}
	for name, page := range map[string]func(cursor string) []int{
		"with a cursor": func(cursor string) []int { return after(all, cursor) },
		"without":       func(string) []int { return all },
		"one page": func(cursor string) []int {
			if cursor != "" {
				return nil
			}
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				_ = r.ParseForm()
				cursor := r.Form.Get("offset") + r.Form.Get("offset_up")
				ids := page(cursor)
				if len(ids) == 0 {
					return respond(r, http.StatusOK, empty), nil
				}
				return respond(r, http.StatusOK, rows(`{"id":%,"sent_by":31}`, ids...)), nil
			})})
			posts, err := drain(platform.All(t.Context(), c.ThreadReplies, platform.ThreadRepliesParams{Thread: 1}), func(p platform.Post) int { return int(p.ID) })
			if err != nil || !slices.Equal(posts, all) {
				t.Errorf("%d posts, %v", len(posts), err)
			}
			messages, err := drain(c.AllMessages(t.Context(), platform.MessagesParams{Peer: 31}), func(m platform.Message) int { return int(m.ID) })
			if err != nil || !slices.Equal(messages, all) {
				t.Errorf("%d messages, %v", len(messages), err)
			}
		})
	}
}

// A gap of any size is filled, whatever has to be read twice for that.
func TestLongGap(t *testing.T) {
	c := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		_ = r.ParseForm()
		first, last := 5000, 1
		if before := r.Form.Get("offset_up"); before != "" {
			first = atoi(before) - 1
		}
		if after := r.Form.Get("offset_down"); after != "" {
			last = atoi(after) + 1
		}
		last = max(last, first-19)
		if first < last {
			return respond(r, http.StatusOK, empty), nil
		}
		return respond(r, http.StatusOK, rows(`{"id":%,"sent_by":31}`, down(first, last)...)), nil
	})})
	got, err := drain(c.AllMessages(t.Context(), platform.MessagesParams{Peer: 31, After: 17}), func(m platform.Message) int { return int(m.ID) })
	want := down(5000, 18)
	slices.Reverse(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

// Texts end after 16 KiB, names and times after 200 letters.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("\u00fc", 20_000)
	c := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		return respond(r, http.StatusOK, fmt.Sprintf(
			`{"code":200,"data":[{"id":1,"sent_by":31,"message":"%[1]s","time":"%[1]s","name":"%[1]s","username":"@%[1]s"}]}`, long)), nil
	})})
	m, err := c.Messages(t.Context(), platform.MessagesParams{Peer: 31})
	if err != nil || m[0].Text != long[:16<<10] || m[0].Time != long[:400] {
		t.Errorf("%d and %d bytes, %v", len(m[0].Text), len(m[0].Time), err)
	}
	n, err := c.Notifications(t.Context(), platform.NotificationsParams{})
	if err != nil || n[0].Name != long[:400] || n[0].Username != long[:400] {
		t.Errorf("%d and %d bytes, %v", len(n[0].Name), len(n[0].Username), err)
	}
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}
