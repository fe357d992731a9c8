package platform_test

import (
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
)

// paged answers with one body after another, and notes the cursors it was asked for.
type paged struct {
	t       *testing.T
	cursor  string // the parameter
	bodies  []string
	cursors []string
}

func (p *paged) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	p.cursors = append(p.cursors, r.Form.Get(p.cursor))
	if len(p.bodies) == 0 {
		p.t.Error("asked for more pages than there are")
		return respond(r, http.StatusOK, `{"code":204,"data":[]}`), nil
	}
	body := p.bodies[0]
	p.bodies = p.bodies[1:]
	return respond(r, http.StatusOK, body), nil
}

// rows returns an answer with a row for each number of the format.
func rows(format string, numbers ...int) string {
	all := make([]string, len(numbers))
	for i, n := range numbers {
		all[i] = strings.ReplaceAll(format, "%", strconv.Itoa(n))
	}
	return `{"code":200,"data":[` + strings.Join(all, ",") + `]}`
}

// down returns the numbers from first to last, in falling order.
func down(first, last int) (numbers []int) {
	for n := first; n >= last; n-- {
		numbers = append(numbers, n)
	}
	return numbers
}

// drain returns the ids of a list, and its error.
func drain[T any](list iter.Seq2[T, error], id func(T) int) (ids []int, err error) {
	for item, itemErr := range list {
		if itemErr != nil {
			return ids, itemErr
		}
		ids = append(ids, id(item))
	}
	return ids, nil
}

const (
	empty           = `{"code":204,"message":"No data found","data":[]}`
	notificationRow = `{"id":%,"notifier_id":31,"subject":"like","entry_id":%}`
	personRow       = `{"id":1%,"offset_id":%}`
	postRow         = `{"id":1%,"offset_id":%}`
	plainRow        = `{"id":%}`
	advert          = `{"advertising":true,"id":7,"text":"Buy hats"}`
)

func TestNotificationsPageAfterPage(t *testing.T) {
	for _, test := range []struct {
		name    string
		params  platform.NotificationsParams
		bodies  []string
		want    []int
		cursors []string
	}{
		{"empty", platform.NotificationsParams{}, []string{empty}, nil, []string{""}},
		{"empty, as 404", platform.NotificationsParams{}, []string{`{"code":404,"data":[]}`}, nil, []string{""}},
		{"one short page", platform.NotificationsParams{}, []string{rows(notificationRow, down(9, 1)...)}, down(9, 1), []string{""}},
		{
			"full pages and a short one",
			platform.NotificationsParams{},
			[]string{rows(notificationRow, down(50, 31)...), rows(notificationRow, down(30, 11)...), rows(notificationRow, down(10, 8)...)},
			down(50, 8),
			[]string{"", "31", "11"},
		},
		{
			"full pages and an empty one",
			platform.NotificationsParams{},
			[]string{rows(notificationRow, down(20, 1)...), empty},
			down(20, 1),
			[]string{"", "1"},
		},
		{
			"from a cursor, small pages",
			platform.NotificationsParams{PageSize: 2, Offset: 40},
			[]string{rows(notificationRow, 39, 38), rows(notificationRow, 37)},
			[]int{39, 38, 37},
			[]string{"40", "38"},
		},
		{
			"pages that shift: rows come again",
			platform.NotificationsParams{PageSize: 3},
			[]string{rows(notificationRow, 9, 8, 7), rows(notificationRow, 8, 7, 6), rows(notificationRow, 6, 5)},
			[]int{9, 8, 7, 6, 5},
			[]string{"", "7", "6"},
		},
		{
			"the row of the cursor comes again",
			platform.NotificationsParams{PageSize: 2},
			[]string{rows(notificationRow, 9, 8), rows(notificationRow, 8, 7), rows(notificationRow, 7)},
			[]int{9, 8, 7},
			[]string{"", "8", "7"},
		},
		{
			"no progress: the same page again and again",
			platform.NotificationsParams{PageSize: 2},
			[]string{rows(notificationRow, 9, 8), rows(notificationRow, 9, 8)},
			[]int{9, 8},
			[]string{"", "8"},
		},
		{
			"the platform sends fewer than asked for",
			platform.NotificationsParams{PageSize: 50},
			[]string{rows(notificationRow, down(50, 31)...), rows(notificationRow, down(30, 25)...)},
			down(50, 25),
			[]string{"", "31"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &paged{t: t, cursor: "offset", bodies: test.bodies}
			client := clientOf(t, platform.Config{Transport: transport})
			got, err := drain(platform.All(t.Context(), client.Notifications, test.params), func(n platform.Notification) int { return int(n.ID) })
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
			if diff := cmp.Diff(test.cursors, transport.cursors); diff != "" {
				t.Errorf("cursors (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCursorOfEachList reads two pages of every list.
func TestCursorOfEachList(t *testing.T) {
	person := func(p platform.Person) int { return int(p.ID) }
	post := func(p platform.Post) int { return int(p.ID) }
	for _, test := range []struct {
		name   string
		row    string
		drain  func(*platform.Client) ([]int, error)
		cursor string // after a page whose last row has the number 8
	}{
		{"notifications", notificationRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.Notifications, platform.NotificationsParams{PageSize: 2}),
				func(n platform.Notification) int { return int(n.ID) })
		}, "8"},
		{"feeds", postRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.Feed, platform.PageParams{PageSize: 2}), post)
		}, "8"},
		{"profile_posts", postRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.ProfilePosts, platform.ProfilePostsParams{ID: 31, PageSize: 2}), post)
		}, "8"},
		{"get_bookmarks", postRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.Bookmarks, platform.PageParams{PageSize: 2}), post)
		}, "8"},
		{"search_posts", postRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.SearchPosts, platform.SearchParams{Query: "x", PageSize: 2}), post)
		}, "8"},
		{"search_posts without rows", plainRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.SearchPosts, platform.SearchParams{Query: "x", PageSize: 2}), post)
		}, "8"},
		{"thread_replys", postRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.ThreadReplies, platform.ThreadRepliesParams{Thread: 238, PageSize: 2}), post)
		}, "18"},
		{"fetch_likes", personRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.Likes, platform.LikesParams{Post: 410, PageSize: 2}), person)
		}, "8"},
		{"fetch_followers", personRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.Followers, platform.PeopleParams{ID: 31, PageSize: 2}), person)
		}, "8"},
		{"fetch_following", personRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.Following, platform.PeopleParams{ID: 31, PageSize: 2}), person)
		}, "8"},
		{"follow_requests", personRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.FollowRequests, platform.PageParams{PageSize: 2}), person)
		}, "8"},
		{"search_people", plainRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.SearchPeople, platform.SearchParams{Query: "x", PageSize: 2}), person)
		}, "8"},
		{"search_hashtags", plainRow, func(c *platform.Client) ([]int, error) {
			return drain(platform.All(t.Context(), c.SearchHashtags, platform.SearchParams{Query: "x", PageSize: 2}),
				func(h platform.Hashtag) int { return int(h.ID) })
		}, "8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &paged{t: t, cursor: "offset", bodies: []string{rows(test.row, 9, 8), rows(test.row, 7)}}
			got, err := test.drain(clientOf(t, platform.Config{Transport: transport}))
			if err != nil || len(got) != 3 {
				t.Errorf("got %v, %v", got, err)
			}
			if diff := cmp.Diff([]string{"", test.cursor}, transport.cursors); diff != "" {
				t.Errorf("cursors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFeedWithoutAdverts(t *testing.T) {
	ad := func(body string) string { return strings.TrimSuffix(body, "]}") + "," + advert + "]}" }
	transport := &paged{t: t, cursor: "offset", bodies: []string{
		ad(rows(postRow, 9, 8)), // an advert on top of the page
		`{"code":200,"data":{"feeds":[{"id":18,"offset_id":7,"is_repost":true},` + advert + `]}}`, // one in place of a post
	}}
	client := clientOf(t, platform.Config{Transport: transport})
	got, err := drain(platform.All(t.Context(), client.Feed, platform.PageParams{PageSize: 2}), func(p platform.Post) int { return int(p.ID) })
	// Post 18 is there twice, as itself and as a repost.
	if err != nil || !slices.Equal(got, []int{19, 18, 18}) {
		t.Errorf("got %v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"", "8"}, transport.cursors); diff != "" {
		t.Errorf("cursors (-want +got):\n%s", diff)
	}
}

// A row that cannot be read takes its place on a page all the same: the page is not a short one.
func TestPageWithAnOddRow(t *testing.T) {
	odd := strings.Replace(rows(plainRow, 9), "]}", `,{"id":"?"}]}`, 1)
	transport := &paged{t: t, cursor: "offset", bodies: []string{odd, rows(plainRow, 7)}}
	client := clientOf(t, platform.Config{Transport: transport})
	got, err := drain(platform.All(t.Context(), client.SearchPeople, platform.SearchParams{Query: "x", PageSize: 2}),
		func(p platform.Person) int { return int(p.ID) })
	if err != nil || !slices.Equal(got, []int{9, 7}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPagesEndWithAnError(t *testing.T) {
	transport := &paged{t: t, cursor: "offset", bodies: []string{rows(plainRow, 9, 8), `{"code":500,"data":[]}`}}
	client := clientOf(t, platform.Config{Transport: transport})
	got, err := drain(platform.All(t.Context(), client.SearchPeople, platform.SearchParams{Query: "x", PageSize: 2}),
		func(p platform.Person) int { return int(p.ID) })
	if !errors.Is(err, platform.ErrServer) || !slices.Equal(got, []int{9, 8}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPagesAreNotReadAhead(t *testing.T) {
	transport := &paged{t: t, cursor: "offset", bodies: []string{rows(notificationRow, 9, 8)}}
	client := clientOf(t, platform.Config{Transport: transport})
	for n, err := range platform.All(t.Context(), client.Notifications, platform.NotificationsParams{PageSize: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		if n.ID == 8 {
			break
		}
	}
	if len(transport.cursors) != 1 {
		t.Errorf("%d pages were read", len(transport.cursors))
	}
}

// conversation serves get_messages from a list of ids, as the switches say.
type conversation struct {
	ids        []int // in rising order
	newest     bool  // offset_down answers with the newest page, not with the oldest
	descending bool
	unreadable bool // to offset_down
	inclusive  bool // the row of a cursor comes again
	cap        int  // rows per page at most
}

func (c *conversation) RoundTrip(r *http.Request) (*http.Response, error) {
	query := r.URL.Query()
	number := func(key string) int { n, _ := strconv.Atoi(query.Get(key)); return n }
	up, after, size := number("offset_up"), number("offset_down"), number("page_size")
	if c.cap > 0 {
		size = min(size, c.cap)
	}
	var page []int
	for _, id := range c.ids {
		above := after == 0 || c.unreadable || id > after || c.inclusive && id == after
		below := up == 0 || id < up || c.inclusive && id == up
		if above && below {
			page = append(page, id)
		}
	}
	if len(page) > size {
		if after > 0 && !c.newest && !c.unreadable {
			page = page[:size]
		} else {
			page = page[len(page)-size:]
		}
	}
	if len(page) == 0 {
		return respond(r, http.StatusOK, empty), nil
	}
	if c.descending {
		slices.Reverse(page)
	}
	return respond(r, http.StatusOK, rows(plainRow, page...)), nil
}

// TestAllMessages reads conversations of many sizes from deployments of many kinds: each message
// comes once, and in order.
func TestAllMessages(t *testing.T) {
	upTo := func(n int) (ids []int) {
		for i := range n {
			ids = append(ids, 100+3*i) // ids have gaps
		}
		return ids
	}
	kinds := map[string]conversation{
		"documented": {}, "newest page first": {newest: true}, "descending": {descending: true},
		"newest page first, descending": {newest: true, descending: true}, "deaf": {unreadable: true},
		"repeats the row of the cursor": {inclusive: true}, "fewer than asked for": {cap: 20}, "far fewer": {cap: 3},
	}
	for name, kind := range kinds {
		for _, size := range []int{0, 5, 20, 33} {
			for _, n := range []int{0, 1, 4, 5, 6, 19, 20, 21, 40, 41, 99} {
				t.Run(fmt.Sprintf("%s/%d of %d", name, size, n), func(t *testing.T) {
					platformSide := kind
					platformSide.ids = upTo(n)
					client := clientOf(t, platform.Config{Transport: &platformSide})
					id := func(m platform.Message) int { return int(m.ID) }

					got, err := drain(client.AllMessages(t.Context(), platform.MessagesParams{Peer: 90, PageSize: size}), id)
					slices.Reverse(got)
					if err != nil || !slices.Equal(got, platformSide.ids) {
						t.Errorf("all, newest first: got %v, %v", got, err)
					}
					for after := range n {
						if after%7 != 0 {
							continue
						}
						cursor := platform.MessageID(platformSide.ids[after])
						got, err := drain(client.AllMessages(t.Context(), platform.MessagesParams{Peer: 90, PageSize: size, After: cursor}), id)
						if err != nil || !slices.Equal(got, platformSide.ids[after+1:]) {
							t.Errorf("after %d: got %v, %v", cursor, got, err)
						}
					}
				})
			}
		}
	}
}

func TestAllMessagesEndsWithAnError(t *testing.T) {
	full := make([]int, 20)
	for i := range full {
		full[i] = 100 + i
	}
	for name, bodies := range map[string][]string{
		"at once":           {`{"code":500,"data":[]}`},
		"on the second":     {rows(plainRow, full...), empty, `{"code":500,"data":[]}`},
		"looking for a gap": {rows(plainRow, full...), `{"code":500,"data":[]}`},
	} {
		transport := &paged{t: t, cursor: "offset_down", bodies: bodies}
		client := clientOf(t, platform.Config{Transport: transport})
		_, err := drain(client.AllMessages(t.Context(), platform.MessagesParams{Peer: 90, After: 1}),
			func(m platform.Message) int { return int(m.ID) })
		if !errors.Is(err, platform.ErrServer) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDeletingNoNotificationsAsksNobody(t *testing.T) {
	transport := &paged{t: t}
	if err := clientOf(t, platform.Config{Transport: transport}).DeleteNotifications(t.Context()); err != nil || transport.cursors != nil {
		t.Errorf("got %v, %d calls", err, len(transport.cursors))
	}
}
