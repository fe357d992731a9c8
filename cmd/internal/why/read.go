package why

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/cmd/internal/print"
	"github.com/nectar-bot/nectar/platform"
)

// mostFact is how much of what was read is shown.
const mostFact = 160

// TellRead lists what a turn of the account's own conversation has read.
func (t *Told) TellRead(turn *whyTurn) {
	if turn.Event != nil || turn.Turn.Peer != 0 || len(turn.Facts) == 0 {
		return
	}
	t.WriteSection("what it read")
	for i := range turn.Facts {
		t.WriteLine("  %s", readWords(&turn.Facts[i]))
	}
}

// readWords says what was read of the platform; what a program has recorded for itself, as it stands.
func readWords(f *event.Fact) string {
	kind, of, _ := strings.Cut(f.Name, ":")
	if kind, _, is := strings.Cut(f.Name, "/"); is && kind == "own-page" {
		return postsWords(f, "the own page")
	}
	switch kind {
	case "posts-of":
		user, _, _ := strings.Cut(of, "/")
		return postsWords(f, "posts of user "+print.PlainText(user, 40))
	case "search":
		return postsWords(f, "a search")
	case "post":
		return decoded(f, postWords)
	case "thread":
		return decoded(f, func(t *platform.Thread) string { return postWords(&t.Post) })
	case "profile-of", "profile":
		return decoded(f, profileWords)
	}
	return recorded(f)
}

// recorded is a fact as it stands.
func recorded(f *event.Fact) string {
	return fmt.Sprintf("%s: %s", print.PlainText(f.Name, 80), print.PlainText(string(f.Value), mostFact))
}

// decoded says a fact in words, if it is what it should be.
func decoded[V any](f *event.Fact, words func(*V) string) string {
	v := new(V)
	if err := json.Unmarshal(f.Value, v); err != nil {
		return recorded(f)
	}
	return words(v)
}

// postsWords says what was read of a list of posts.
func postsWords(f *event.Fact, where string) string {
	return decoded(f, func(found *struct {
		Query string
		Posts []platform.Post
	},
	) string {
		if found.Query != "" {
			where += " for " + print.QuotePlain(found.Query, 60)
		}
		switch n := len(found.Posts); n {
		case 0:
			return where + ": no posts"
		case 1:
			return where + ": " + postWords(&found.Posts[0])
		default:
			return fmt.Sprintf("%s: %d posts, first %s", where, n, postWords(&found.Posts[0]))
		}
	})
}

// postWords says how a post was read.
func postWords(p *platform.Post) string {
	by := "user " + fmt.Sprint(p.UserID)
	switch {
	case p.IsOwner:
		by = "the account"
	case p.Owner.Username != "":
		by = "@" + print.PlainText(p.Owner.Username, 40)
	}
	how := "not reposted by the account"
	switch {
	case p.RepostUntold:
		how = "whether the account has reposted it is not told"
	case p.HasReposted:
		how = "reposted by the account"
	}
	return fmt.Sprintf("post %d of %s, %s: %s", p.ID, by, how, print.QuotePlain(p.Text, 60))
}

// profileWords says how a profile was read.
func profileWords(p *platform.Profile) string {
	return fmt.Sprintf("the profile of @%s: %s, user %d, with %d posts", print.PlainText(p.Username, 40), print.QuotePlain(strings.TrimSpace(p.FirstName+" "+p.LastName), 60), p.ID, p.Posts)
}
