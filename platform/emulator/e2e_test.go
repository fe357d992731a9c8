package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nectar-bot/nectar/platform"
	. "github.com/nectar-bot/nectar/platform/emulator"
)

// keeper keeps the session of one account for the platform's client: the least that can.
type keeper struct {
	client *platform.Client
	mu     sync.Mutex
	tokens platform.Tokens
}

func (k *keeper) SessionID(context.Context) (platform.Secret, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tokens.SessionID, nil
}

func (k *keeper) Rejected(ctx context.Context, id platform.Secret, refusal *platform.Refused) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if id != k.tokens.SessionID {
		return true, nil
	}
	if !errors.Is(refusal, platform.ErrUnauthorized) { // is it the session at all?
		if _, err := k.client.WithSession(fixed(id)).Feed(ctx, platform.PageParams{PageSize: 1}); err == nil {
			return false, nil
		}
	}
	renewed, err := k.client.RefreshAccessToken(ctx, k.tokens.RefreshToken)
	if err != nil {
		return false, err
	}
	if renewed.RefreshToken == "" {
		renewed.RefreshToken = k.tokens.RefreshToken
	}
	k.tokens = renewed
	return true, nil
}

// tour is the platform's client on a platform of some dialect, with what the visits need.
type tour struct {
	*testing.T
	p            *Platform
	dialect      Dialect
	account, ana platform.UserID
	visitor      *platform.Client // without a session
	c            *platform.Client
	keeper       *keeper
}

// TestClientUnderstandsEveryDialect runs the platform's client over every dialect, end to end.
func TestClientUnderstandsEveryDialect(t *testing.T) {
	t.Parallel()
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(10 * 365 * 24 * time.Hour) // the client takes no number for a time before 2001
				p := New(Config{Dialect: d.Dialect})
				g := &tour{T: t, p: p, dialect: d.Dialect}
				g.account = p.AddAccount(Person{Username: "nectar", FirstName: "Nectar"}, email, password)
				g.ana = p.AddPerson(Person{Username: "ana_k", FirstName: "Ana", LastName: "K", Verified: true})
				pipe := NewPipe(p)
				defer func() { check(t, pipe.Close()) }()
				g.signIn(pipe)
				g.sessions()
				g.conversation()
				g.history()
				g.notifications()
				g.reactions()
				g.relations()
				g.posts()
				g.lists()
				g.empties()
			})
		})
	}
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Error(err)
	}
}

// ok returns what a call got, and ends the test when it failed.
func ok[V any](tb testing.TB) func(V, error) V {
	tb.Helper()
	return func(v V, err error) V {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

// all reads a list to its end.
func all[V any](tb testing.TB, list iter.Seq2[V, error]) []V {
	tb.Helper()
	var out []V
	for v, err := range list {
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// same fails unless both are equal.
func same(tb testing.TB, what string, want, got any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s: %s", what, diff)
	}
}

func (g *tour) signIn(pipe *Server) {
	g.Helper()
	visitor, err := platform.New(platform.Config{BaseURL: pipe.BaseURL(), Transport: pipe.Transport()})
	check(g, err)
	_, err = visitor.Login(g.Context(), platform.LoginParams{Email: email, Password: "wrong"})
	if !errors.Is(err, platform.ErrBadCredentials) && (g.dialect.Code != CodeAbsent || !errors.Is(err, platform.ErrInvalid)) {
		g.Errorf("login with a wrong password: %v", err)
	}
	in := ok[platform.SignIn](g)(visitor.Login(g.Context(), platform.LoginParams{Email: email, Password: password}))
	same(g, "signed in as", []any{g.account, "nectar"}, []any{in.User.ID, in.User.Username})
	if in.Expiry.IsZero() != g.dialect.ExpiryAbsent || (!in.Expiry.IsZero() && in.Expiry.Year() > 2100) {
		g.Errorf("expiry %v", in.Expiry)
	}
	g.visitor = visitor
	g.keeper = &keeper{client: visitor, tokens: in.Tokens}
	g.c = visitor.WithSession(g.keeper)
}

func (g *tour) sessions() {
	g.Helper()
	for range 2 {
		g.p.Expire(g.account)
		same(g, "chats", 0, len(ok[[]platform.Chat](g)(g.c.Chats(g.Context()))))
	}
	same(g, "refreshes", 2, g.p.Refreshes())
	same(g, "logins", 1, g.p.Logins())
}

func (g *tour) conversation() {
	g.Helper()
	const text = `5 < 6 & "so" it's — привет 🙂`
	said := g.p.Say(g.ana, g.account, "  "+text)
	row := ok[[]platform.Chat](g)(g.c.Chats(g.Context()))[0]
	same(g, "chat", []any{g.ana, "ana_k", "Ana K", text, 1},
		[]any{row.Peer, row.Username, row.Name, strings.TrimSpace(row.Last), row.Unread})
	var passed []any
	list := ok[platform.ChatList](g)(g.c.ChatRows(g.Context(), func(_ int, row *platform.ChatRow) { passed = append(passed, row.Peer, row.Unread) }))
	same(g, "row", []any{g.ana, 1}, passed)
	same(g, "rows", 1, list.Rows)
	sent := g.send(platform.SendMessageParams{To: g.ana, Text: text})
	picture := platform.Upload{Name: "a.png", ContentType: "image/png", Body: strings.NewReader("x"), Size: 1}
	image := g.send(platform.SendMessageParams{To: g.ana, Image: &picture})
	same(g, "sent", []any{true, true, text, true, true}, []any{sent.ID > said, sent.Own, sent.Text, image.ID > sent.ID, image.Media()})
	_, err := g.c.SendMessage(g.Context(), platform.SendMessageParams{To: g.ana, Text: strings.Repeat("x", 3001)})
	if !errors.Is(err, platform.ErrInvalid) {
		g.Errorf("a text too long: %v", err)
	}
	if g.dialect.Messages != Present {
		if _, err := g.c.Messages(g.Context(), platform.MessagesParams{Peer: g.ana}); err == nil {
			g.Error("there is no get_messages, but it answers")
		}
		return
	}
	got := ok[[]platform.Message](g)(g.c.Messages(g.Context(), platform.MessagesParams{Peer: g.ana}))
	var texts []string
	for i := range got {
		texts = append(texts, fmt.Sprint(got[i].ID, got[i].Own, strings.TrimSpace(got[i].Text)))
	}
	same(g, "messages", []string{fmt.Sprint(said, false, text), fmt.Sprint(sent.ID, true, text), fmt.Sprint(image.ID, true, "Image")}, texts)
	found := ok[[]platform.Message](g)(g.c.SearchMessages(g.Context(), platform.SearchMessagesParams{Peer: g.ana, Query: "привет"}))
	same(g, "found", []platform.MessageID{said, sent.ID}, messageIDs(found))
}

// send sends a message. Where the answer does not name it, it is read.
func (g *tour) send(p platform.SendMessageParams) platform.Message {
	g.Helper()
	m, err := g.c.SendMessage(g.Context(), p)
	if !g.unnamed(err) {
		return m
	}
	shown := ok[[]platform.Message](g)(g.c.Messages(g.Context(), platform.MessagesParams{Peer: p.To}))
	return shown[len(shown)-1]
}

func messageIDs(list []platform.Message) []platform.MessageID {
	out := make([]platform.MessageID, len(list))
	for i, m := range list {
		out[i] = m.ID
	}
	return out
}

// history reads more than two pages both ways.
func (g *tour) history() {
	g.Helper()
	if g.dialect.Messages != Present {
		return
	}
	leo := g.p.AddPerson(Person{Username: "leo"})
	for i := range 45 {
		g.p.Say(leo, g.account, fmt.Sprint("message ", i))
	}
	ids := messageIDs(g.p.Messages(g.account, leo))
	newer := all(g, g.c.AllMessages(g.Context(), platform.MessagesParams{Peer: leo, After: ids[1]}))
	same(g, "newer", ids[2:], messageIDs(newer))
	older := messageIDs(all(g, g.c.AllMessages(g.Context(), platform.MessagesParams{Peer: leo, PageSize: 50})))
	slices.Reverse(older)
	same(g, "all", ids, older)
	check(g, g.c.DeleteMessage(g.Context(), ids[44]))
	last := ok[[]platform.Message](g)(g.c.Messages(g.Context(), platform.MessagesParams{Peer: leo, After: ids[42]}))
	same(g, "after deleting", ids[43:44], messageIDs(last))
	check(g, g.c.ClearChat(g.Context(), leo, true))
	same(g, "after clearing", 1, len(ok[[]platform.Chat](g)(g.c.Chats(g.Context()))))
}

func (g *tour) notifications() {
	g.Helper()
	own := g.p.Post(g.account, "news")
	g.p.Like(g.ana, own)
	g.p.Follow(g.ana, g.account)
	reply := g.p.Reply(g.ana, own, "nice, @nectar")
	named := g.p.Mention(g.ana, g.account, "look")
	got := all(g, platform.All(g.Context(), g.c.Notifications, platform.NotificationsParams{Type: platform.Notifs}))
	if g.dialect.RowsAscending {
		slices.Reverse(got)
	}
	type notice struct {
		Subject platform.Subject
		From    platform.UserID
		Post    platform.PostID
		Name    string
	}
	var rows []notice
	for i, n := range got {
		if i > 0 && n.ID >= got[i-1].ID {
			g.Errorf("ids do not descend: %d after %d", n.ID, got[i-1].ID)
		}
		if n.Subject != "announcement" {
			rows = append(rows, notice{n.Subject, n.From, n.Post, n.Username})
		}
	}
	same(g, "notifs", []notice{
		{platform.SubjectReply, g.ana, reply, "ana_k"},
		{platform.SubjectFollow, g.ana, 0, "ana_k"},
		{platform.SubjectLike, g.ana, own, "ana_k"},
	}, rows)
	mentions := all(g, platform.All(g.Context(), g.c.Notifications, platform.NotificationsParams{Type: platform.Mentions}))
	var posts []platform.PostID
	for _, n := range mentions {
		if n.Subject == platform.SubjectMention {
			posts = append(posts, n.Post)
		}
	}
	want := []platform.PostID{named}
	if g.dialect.ReplyMentionsToo {
		want = append(want, reply)
	}
	same(g, "mentions", want, posts)
	ids := []platform.NotificationID{got[0].ID, got[len(got)-1].ID}
	check(g, g.c.DeleteNotifications(g.Context(), ids...))
	left := all(g, platform.All(g.Context(), g.c.Notifications, platform.NotificationsParams{}))
	same(g, "left", len(got)-2, len(left))
}
