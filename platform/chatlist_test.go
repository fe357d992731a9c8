package platform_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
)

// A list that is longer than its bound is read up to there. So is one that takes too long, or breaks off.
func TestListThatIsCut(t *testing.T) {
	body := chatList(1000)
	half := func(w http.ResponseWriter) {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
	}
	for _, test := range []struct {
		name   string
		cfg    platform.Config
		answer func(w http.ResponseWriter, r *http.Request)
		by     platform.CutBy
		about  int // rows
	}{
		{"by the limit", platform.Config{MaxList: int64(len(body) / 2)}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }, platform.CutByLimit, 500},
		{"by the limit, unannounced", platform.Config{MaxList: int64(len(body) / 2)}, func(w http.ResponseWriter, _ *http.Request) {
			half(w)
			_, _ = w.Write(body[len(body)/2:])
		}, platform.CutByLimit, 500},
		{"by the limit, whose rows are many windows", platform.Config{MaxList: int64(len(body) - 3)}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }, platform.CutByLimit, 999},
		{"by the deadline", platform.Config{Timeout: 10 * time.Second}, func(w http.ResponseWriter, r *http.Request) {
			half(w)
			<-r.Context().Done()
		}, platform.CutByDeadline, 500},
		{"by the connection", platform.Config{}, func(w http.ResponseWriter, _ *http.Request) {
			half(w)
			panic(http.ErrAbortHandler)
		}, platform.CutByFault, 500},
		{"by a length that is too long", platform.Config{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(2*len(body)))
			_, _ = w.Write(body[:len(body)/2])
		}, platform.CutByFault, 500},
		{"by the server", platform.Config{}, func(w http.ResponseWriter, _ *http.Request) { half(w) }, platform.CutByFault, 500},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipe := emulator.NewPipe(http.HandlerFunc(test.answer))
				defer func() { _ = pipe.Close() }()
				test.cfg.BaseURL, test.cfg.Transport = pipe.BaseURL(), pipe.Transport()
				rows, list, err := readRows(t, clientOf(t, test.cfg))
				var cut *platform.Cut
				if !errors.As(err, &cut) || cut.By != test.by || cut.List != list || platform.InDoubt(err) {
					t.Fatalf("got %v", err)
				}
				if len(rows) < test.about-2 || len(rows) > test.about || rows[len(rows)-1].Peer != platform.UserID(999+len(rows)) {
					t.Errorf("%d rows", len(rows))
				}
				if test.by == platform.CutByLimit && list.Bytes != test.cfg.MaxList || test.by == platform.CutByDeadline && list.Took != 10*time.Second {
					t.Errorf("got %+v", list)
				}
			})
		})
	}
}

// A list that is as long as its bound is whole. It says how near it came.
func TestListThatFits(t *testing.T) {
	body := chatList(1000)
	client := clientOf(t, platform.Config{MaxList: int64(len(body)), Timeout: time.Minute, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		return respond(r, http.StatusOK, string(body)), nil
	})})
	rows, list, err := readRows(t, client)
	if err != nil || len(rows) != 1000 || list.Bytes != int64(len(body)) || list.Limit != list.Bytes || list.Timeout != time.Minute {
		t.Errorf("%d rows, %+v, %v", len(rows), list, err)
	}
}

// Nobody waits any more: that is no list, however much of it arrived.
func TestListThatNobodyWaitsFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(chatList(1000)[:100_000])
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	_, err := clientOf(t, platform.Config{BaseURL: server.URL}).ChatRows(ctx, func(int, *platform.ChatRow) {})
	if !errors.Is(err, context.Canceled) || kind(err) == "cut" {
		t.Errorf("got %v", err)
	}
}

// A refused session is renewed before there are rows.
func TestListBehindARefusal(t *testing.T) {
	bodies := []string{`{"code":401,"message":"no","data":[]}`, string(chatList(5))}
	base, err := platform.New(platform.Config{BaseURL: baseURL, Transport: &paged{t: t, bodies: bodies}})
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := readRows(t, base.WithSession(renewing{}))
	if err != nil || len(rows) != 5 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// renewing is an Authorizer that always finds another session.
type renewing struct{}

func (renewing) SessionID(context.Context) (platform.Secret, error) { return "a-session", nil }

func (renewing) Rejected(context.Context, platform.Secret, *platform.Refused) (bool, error) {
	return true, nil
}

// Rows that are longer than what is held of a list are read, too; one that has no end is not.
func TestLongRows(t *testing.T) {
	long := strings.Replace(anaRow, `"hi"`, `"`+strings.Repeat(`\ud83d\ude00`, 100_000)+`"`, 1)
	body := `{"code":200,"data":[` + anaRow + `,` + long + `,` + anaRow + `]}`
	for limit, want := range map[int64]int{0: 3, 1 << 20: 1} {
		client := clientOf(t, platform.Config{MaxBody: limit, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			return respond(r, http.StatusOK, body), nil
		})})
		rows, _, err := readRows(t, client)
		if len(rows) != want || want == 3 && (err != nil || len(rows[1].Chat.Last) != 16<<10) || want == 1 && kind(err) != "cut" {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	}
}

// longList is a chat list of so many rows, alike but for the peer.
type longList struct {
	rows, at int
	row      []byte
	rest     []byte
}

// Read implements io.Reader.
func (l *longList) Read(b []byte) (int, error) {
	for len(l.rest) == 0 {
		switch {
		case l.at == 0:
			l.rest = []byte(`{"code":200,"data":[`)
		case l.at < l.rows:
			l.rest = l.row
		case l.at == l.rows:
			l.rest = []byte(anaRow + `]}`)
		default:
			return 0, io.EOF
		}
		l.at++
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// However long a list is, it takes no memory but for what is kept of its rows.
func TestMemoryOfALongList(t *testing.T) {
	client := clientOf(t, platform.Config{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
		resp := respond(r, http.StatusOK, "")
		resp.Body, resp.ContentLength = io.NopCloser(&longList{rows: 100_000, row: []byte(anaRow + ",")}), -1
		return resp, nil
	})})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list, err := client.ChatRows(t.Context(), func(int, *platform.ChatRow) {})
	runtime.ReadMemStats(&after)
	if err != nil || list.Rows != 100_000 {
		t.Fatalf("%+v, %v", list, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 || took > uint64(list.Bytes)/10 {
		t.Errorf("%d bytes of memory for a list of %d", took, list.Bytes)
	}
}

// Wherever what is held of a list ends, no row is lost.
func TestRowsBetweenTwoWindows(t *testing.T) {
	effort.Long(t)
	body := string(chatList(1000))
	for pad := range 300 {
		rows, _, err := readRows(t, answering(t, strings.Repeat(" ", pad)+body))
		if err != nil || len(rows) != 1000 {
			t.Fatalf("behind %d spaces: %d rows, %v", pad, len(rows), err)
		}
		for i := range rows {
			if rows[i].Peer != platform.UserID(1000+i) || rows[i].Chat.Name != fmt.Sprint("Person ", i) {
				t.Fatalf("behind %d spaces: row %d is %+v", pad, i, rows[i])
			}
		}
	}
}
