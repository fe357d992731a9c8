package poll_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// me is the account's id on the model platform.
const me platform.UserID = 7

// habits are what deployments disagree about and do not document.
type habits struct {
	NewestFirst  bool   // offset_down with more than a page of news: the newest page
	IgnoresAfter bool   // offset_down is not known
	Inclusive    bool   // the row at an offset is repeated
	Descending   bool   // messages of a page come newest first
	Cap          int    // largest page, 0 none
	KeepsUnseen  bool   // reading does not mark messages as seen
	SendSees     bool   // sending does
	NoCount      bool   // new_messages is always ""
	Localised    bool   // humanised times cannot be read
	Minutes      bool   // humanised times are to the minute
	Unsorted     bool   // the chat list is in the order of names
	Cut          int    // last_message is cut, 0 never
	Empty404     bool   // a list without rows is code 404
	Missing      string // get_messages does not exist: "page" or "code"
}

// fault is what befalls one call.
type fault int

const (
	faultServer fault = iota
	faultPage
	faultCut
	faultTruncated
	faultLimit
	faultKinds
)

// message is a private message of the model.
type message struct {
	id   int64
	own  bool
	text string
	at   time.Time
	appearance
}

// appearance says how something shows in lists.
type appearance struct {
	hidden  bool // written, but not visible yet: its transaction is still open
	late    bool // it was hidden once
	excused bool // it was late, and need not be found
	gone    bool
	as      int64 // the id that it shows; 0: its own
}

// talk is a chat of the account.
type talk struct {
	peer     platform.UserID
	messages []*message
	unread   int
	unlisted bool // the chat list does not show it
}

// note is a notification of the model.
type note struct {
	id      int64
	from    platform.UserID
	subject platform.Subject
	read    bool
	at      time.Time
	appearance
}

// model is a small model of the platform, as an http.Handler.
type model struct {
	habits habits

	mu        sync.Mutex
	lastID    int64
	talks     map[platform.UserID]*talk
	notes     map[string][]*note
	faults    []fault
	refused   map[platform.UserID]bool // chats that get_messages refuses to show
	refusal   int                      // the code with which it does; 0 is 400
	down      map[string]bool          // endpoints that fail
	noOffset  bool                     // get_notifications does not know its offset
	least     int                      // the smallest page: fewer rows become as many
	endless   string                   // "notifs" or "messages": they go on with ever older rows that nobody made
	unsorted  bool                     // the rows of a page have no order
	ascending bool                     // get_notifications shows the oldest rows first, and above its offset
	calls     map[string]int
	inFlight  int // calls of get_messages under way
	most      int // most of them at once
	slow      time.Duration
	frozen    time.Time // ages are shown as they were then, if set
	renamed   string    // begins everybody's name
	cutAt     int       // not 0: the chat list breaks off after so many bytes
	noChats   bool      // the chat list is empty
	asOf      time.Time // the chat list is as it was then, if set

	meanwhile func() // called before each call is served
}

func newModel(h habits) *model {
	return &model{
		habits: h, lastID: 100, talks: map[platform.UserID]*talk{}, notes: map[string][]*note{}, calls: map[string]int{},
		refused: map[platform.UserID]bool{}, down: map[string]bool{},
	}
}

// id returns the next id. There are gaps between ids.
func (w *model) id() int64 {
	w.lastID += 1 + w.lastID%3
	return w.lastID
}

// write adds a message to a chat.
func (w *model) write(peer platform.UserID, text string, own, hidden bool) *message {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.talks[peer]
	if t == nil {
		t = &talk{peer: peer}
		w.talks[peer] = t
	}
	m := &message{id: w.id(), own: own, text: text, at: time.Now(), appearance: appearance{hidden: hidden, late: hidden}}
	t.messages = append(t.messages, m)
	switch {
	case own && w.habits.SendSees:
		t.unread = 0
	case !own && !hidden:
		t.unread++
	}
	return m
}

// say lets a peer write.
func (w *model) say(peer platform.UserID, text string) *message {
	return w.write(peer, text, false, false)
}

// reveal makes hidden messages and notifications visible.
func (w *model) reveal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.talks {
		for _, m := range t.messages {
			if m.hidden {
				m.hidden = false
				t.unread++
			}
		}
	}
	for _, list := range w.notes {
		for _, n := range list {
			n.hidden = false
		}
	}
}

// excuse lets rows be missed: f is told how each shows, when it was written, and how many were since.
func (w *model) excuse(f func(a appearance, at time.Time, since int) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.talks {
		for i, m := range t.messages {
			m.excused = m.excused || f(m.appearance, m.at, len(t.messages)-1-i)
		}
	}
	for _, list := range w.notes {
		for i, n := range list {
			n.excused = n.excused || f(n.appearance, n.at, len(list)-1-i)
		}
	}
}

// see lets the owner read a chat on the phone.
func (w *model) see(peer platform.UserID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.talks[peer]; t != nil {
		t.unread = 0
	}
}

// erase deletes a message of a chat, counted from the newest.
func (w *model) erase(peer platform.UserID, back int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.talks[peer]; t != nil && back < len(t.messages) {
		t.messages[len(t.messages)-1-back].gone = true
	}
}

// notify adds a notification to a list.
func (w *model) notify(list string, from platform.UserID, subject platform.Subject, hidden bool) *note {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := &note{id: w.id(), from: from, subject: subject, at: time.Now(), appearance: appearance{hidden: hidden, late: hidden}}
	w.notes[list] = append(w.notes[list], n)
	return n
}

// vanish removes a row of notifs, counted from the newest.
func (w *model) vanish(back int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if rows := w.notes["notifs"]; back < len(rows) {
		rows[len(rows)-1-back].gone = true
	}
}

// disturb lets the next calls fail.
func (w *model) disturb(faults ...fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, faults...)
}

// set changes the model under its lock.
func (w *model) set(f func(w *model)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w)
}

// count returns how often an endpoint was called.
func (w *model) count(endpoint string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[endpoint]
}

// ServeHTTP implements http.Handler.
func (w *model) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if w.meanwhile != nil {
		w.meanwhile()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	endpoint := path.Base(r.URL.Path)
	w.calls[endpoint]++
	if endpoint == "get_messages" && w.slow > 0 {
		w.inFlight++
		w.most = max(w.most, w.inFlight)
		slow := w.slow
		w.mu.Unlock()
		time.Sleep(slow)
		w.mu.Lock()
		w.inFlight--
	}
	if w.down[endpoint] {
		w.fail(rw, r, faultPage)
		return
	}
	if len(w.faults) > 0 {
		f := w.faults[0]
		w.faults = w.faults[1:]
		w.fail(rw, r, f)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	if w.habits.Missing != "" && endpoint == "get_messages" {
		w.missing(rw)
		return
	}
	if peer, _ := strconv.Atoi(r.Form.Get("user_id")); w.refused[platform.UserID(peer)] && endpoint == "get_messages" {
		_, _ = fmt.Fprintf(rw, `{"code":%d,"message":"Interlocutor ID is missing or invalid","data":[]}`, cmp.Or(w.refusal, 400))
		return
	}
	body := w.answer(endpoint, r)
	if endpoint == "get_chats" && w.cutAt > 0 && len(body) > w.cutAt {
		_, _ = rw.Write(body[:w.cutAt])
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = rw.Write(body)
}

func (w *model) missing(rw http.ResponseWriter) {
	if w.habits.Missing == "page" {
		rw.WriteHeader(http.StatusNotFound)
		_, _ = rw.Write([]byte("<html>not found</html>"))
		return
	}
	_, _ = rw.Write([]byte(`{"code":400,"message":"Invalid request","data":[]}`))
}

func (w *model) fail(rw http.ResponseWriter, r *http.Request, f fault) {
	switch f {
	case faultServer:
		_, _ = rw.Write([]byte(`{"code":500,"message":"Oops","data":[]}`))
	case faultPage:
		rw.WriteHeader(http.StatusBadGateway)
		_, _ = rw.Write([]byte("<html>bad gateway</html>"))
	case faultTruncated:
		body := w.answer(path.Base(r.URL.Path), r)
		_, _ = rw.Write(body[:len(body)/2])
	case faultLimit:
		rw.Header().Set("Retry-After", "2")
		rw.WriteHeader(http.StatusTooManyRequests)
	default:
		panic(http.ErrAbortHandler)
	}
}

func (w *model) answer(endpoint string, r *http.Request) []byte {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(r.Form.Get(name), 10, 64)
		return n
	}
	var rows []any
	switch endpoint {
	case "get_chats":
		rows = w.chatRows()
	case "get_messages":
		rows = w.messageRows(platform.UserID(number("user_id")), number("offset_down"), number("offset_up"), int(number("page_size")))
		rows = w.withoutEnd("messages", rows, number("offset_up"))
	case "get_notifications":
		rows = w.noteRows(r.Form.Get("type"), number("offset"), int(number("page_size")))
		rows = w.withoutEnd(r.Form.Get("type"), rows, number("offset"))
	}
	code := http.StatusOK
	if len(rows) == 0 {
		code, rows = http.StatusNoContent, []any{}
		if endpoint == "get_notifications" || w.habits.Empty404 {
			code = http.StatusNotFound
		}
	}
	body, _ := json.Marshal(map[string]any{"code": code, "message": "", "data": rows})
	return body
}
