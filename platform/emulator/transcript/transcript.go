package transcript

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/platform"
	"github.com/nectar-bot/nectar/platform/emulator"
	"github.com/nectar-bot/nectar/platform/emulator/internal/words"
)

// Config says what a transcript holds.
type Config struct {
	// Account is the account that the transcript is of. Required.
	Account platform.UserID

	// Since is the position in the ledger after which the transcript begins. Defaults to all.
	Since int64

	// Plain leaves out the times, for comparison.
	Plain bool
}

// Follow writes what happens as it happens. When ctx ends it writes what has happened until
// then and returns nil; it returns the error of w when w fails.
func Follow(ctx context.Context, p *emulator.Platform, w io.Writer, cfg Config) error {
	t := newTranscript(p, w, cfg)
	for {
		ended := ctx.Err() != nil
		if err := t.catchUp(); err != nil || ended {
			return err
		}
		_ = p.Ledger().Wait(ctx, t.seq) // the end of ctx is seen above, once the rest is written
	}
}

// Write writes what happened until now.
func Write(p *emulator.Platform, w io.Writer, cfg Config) error {
	return newTranscript(p, w, cfg).catchUp()
}

// transcript is a transcript that is being written.
type transcript struct {
	Config
	p     *emulator.Platform
	w     io.Writer
	seq   int64                      // of the last entry read
	posts map[platform.PostID]string // the name that the lines use for each post
}

func newTranscript(p *emulator.Platform, w io.Writer, cfg Config) *transcript {
	return &transcript{Config: cfg, p: p, w: w, posts: map[platform.PostID]string{}}
}

func (t *transcript) catchUp() error {
	for e := range t.p.Ledger().After(t.seq) {
		t.seq = e.Seq
		if e.From != t.Account && e.To != t.Account {
			continue
		}
		if e.Post != 0 && e.Text != "" {
			t.posts[e.Post] = e.Text
		}
		if e.Seq <= t.Since {
			continue
		}
		if err := t.write(e); err != nil {
			return fmt.Errorf("writing the transcript: %w", err)
		}
	}
	return nil
}

// write writes the line of an entry, if it has one.
func (t *transcript) write(e emulator.Entry) error {
	deed := t.words(e)
	if deed == "" {
		return nil
	}
	who := fmt.Sprintf("%-8s", words.NameOf(t.p, e.From))
	if e.From == t.Account {
		who = fmt.Sprintf("%-4s →  ", words.NameOf(t.p, e.From))
	}
	if !t.Plain {
		who = e.At.Format("15:04:05 ") + who
	}
	_, err := fmt.Fprintf(t.w, "%s %s\n", who, deed)
	return err
}

// words says what happened in an entry; "" when it is nothing that people do to each other.
func (t *transcript) words(e emulator.Entry) string {
	post := t.title(e.Post)
	if e.Kind == emulator.Published && e.To != 0 {
		return "✎ replies " + post
	}
	if e.Kind == emulator.Deleted && e.Message != 0 {
		return "✗ deletes the message to " + words.NameOf(t.p, e.To) + ": " + flat(e.Text)
	}
	switch e.Kind {
	case emulator.Said:
		return flat(e.Text)
	case emulator.Arrived:
		return words.NameOf(t.p, e.To) + ": " + flat(e.Text)
	case emulator.SaidByPhone:
		return words.NameOf(t.p, e.To) + " (by phone): " + flat(e.Text)
	case emulator.Posted, emulator.Published, emulator.Mentioned:
		return "✎ posts " + post
	case emulator.Replied:
		return "✎ replies " + post
	case emulator.Liked:
		return "♥ likes " + post
	case emulator.Unliked:
		return "♡ takes back the like of " + post
	case emulator.Reposted:
		return "↻ reposts " + post
	case emulator.Unreposted:
		return "↺ takes back the repost of " + post
	case emulator.Deleted:
		return "✗ deletes " + post
	case emulator.Followed, emulator.Unfollowed, emulator.FollowRequested, emulator.Blocked, emulator.Unblocked, emulator.Visited:
		return relations[e.Kind] + " " + words.NameOf(t.p, e.To)
	case emulator.LoggedIn, emulator.Refreshed:
	}
	return ""
}

var relations = map[emulator.EntryKind]string{
	emulator.Followed: "+ follows", emulator.Unfollowed: "- unfollows", emulator.FollowRequested: "+ asks to follow",
	emulator.Blocked: "⊘ blocks", emulator.Unblocked: "⊙ unblocks", emulator.Visited: "· visits",
}

// title returns what a line calls a post.
func (t *transcript) title(id platform.PostID) string {
	if text := t.posts[id]; text != "" {
		return `"` + flat(text) + `"`
	}
	return fmt.Sprintf("post %d", id)
}

// flat returns a text as it fits into a line of a terminal.
func flat(text string) string {
	const most = 100
	if n := utf8.RuneCountInString(text); n > most {
		text = fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:most]), n)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '⏎'
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) && r != '\u200D': // direction signs and others that nobody sees, but for what joins emoji
			return -1
		default:
			return r
		}
	}, strings.TrimSpace(text))
}
