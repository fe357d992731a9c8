package bot

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"unicode/utf8"

	"github.com/nectar-bot/nectar/bot/internal/outbox"
	"github.com/nectar-bot/nectar/platform"
)

// What a turn reads of lists of posts is kept with it, so it is bounded, also when a platform sends too much.
const (
	// MostPosts is how many posts one read of a turn gets at most.
	MostPosts = 100

	postsPage      = 20 // posts of a page, as platforms recommend
	mostAnswers    = 50 // of a thread
	mostParents    = 20
	longestText    = 1000 // characters of a post
	longestLabel   = 100  // of a name or a kind
	longestAddress = 500  // of an address
)

// PostsOf reads the posts of a person, the newest first as far as clients show, as a fact: at most most of them, 1 to
// MostPosts, in pages of 20 (profile_posts, documented). It has what the person's page has: whether that shows reposts
// (Post.IsRepost) and replies (Post.Thread) is up to the platform. Adverts are left out. Of a post there is what says what
// it is and how it stands: no media and no answers, and 1,000 characters of its text.
//
// Somebody without posts has none, which is no error. The errors are those of the platform: platform.Classify reports whether
// it will ever be read; where it may, the turn waits when it returns the error.
func (t *Turn) PostsOf(ctx context.Context, user platform.UserID, most int) ([]platform.Post, error) {
	return t.posts(ctx, fmt.Sprintf("posts-of:%d/%d", user, most), most, func(ctx context.Context, c *platform.Client) iter.Seq2[platform.Post, error] {
		return platform.All(ctx, c.ProfilePosts, platform.ProfilePostsParams{ID: user, PageSize: postsPage})
	})
}

// OwnPage is PostsOf for the account itself: its own posts, and where the platform shows them there, its reposts. The
// account has to have signed in, which the read waits for.
func (t *Turn) OwnPage(ctx context.Context, most int) ([]platform.Post, error) {
	return t.posts(ctx, fmt.Sprintf("own-page/%d", most), most, func(ctx context.Context, c *platform.Client) iter.Seq2[platform.Post, error] {
		me, err := t.reader.me(ctx)
		if err != nil {
			return func(yield func(platform.Post, error) bool) { yield(platform.Post{}, err) }
		}
		return platform.All(ctx, c.ProfilePosts, platform.ProfilePostsParams{ID: me, PageSize: postsPage})
	})
}

// Search reads the posts that match a query, as a fact, as PostsOf does (search_posts, documented). In which order they come
// is not documented, and what matches is up to the platform: look at the posts themselves for what they have to have. A
// query that the platform does not take is an error of it; one that finds nothing is none.
func (t *Turn) Search(ctx context.Context, query string, most int) ([]platform.Post, error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(query)) // a hash takes everything; names of facts are not sealed, and somebody may have said it
	found, err := readPosts(ctx, t, fmt.Sprintf("search:%016x/%d", h.Sum64(), most), most, query, func(ctx context.Context, c *platform.Client) iter.Seq2[platform.Post, error] {
		return platform.All(ctx, c.SearchPosts, platform.SearchParams{Query: query, PageSize: postsPage})
	})
	return found.Posts, err
}

// Thread reads a post with its parents and the answers that stand below it, as a fact (thread_data, documented): at most 20
// parents, the nearest, and the first 50 answers that the platform gives; of each post what PostsOf has. Of a post that is
// gone, or that the account may not see, platform.Final tells by the error.
func (t *Turn) Thread(ctx context.Context, post platform.PostID) (platform.Thread, error) {
	return Fact(ctx, t, fmt.Sprintf("thread:%d", post), func(ctx context.Context) (platform.Thread, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (platform.Thread, error) {
			// A session that has ended may be answered as if none was sent, and then the post shows no like or repost of the account's.
			if _, err := c.Feed(ctx, platform.PageParams{PageSize: 1}); err != nil && !outbox.HasNoFeed(err) { //mutate:thread-vouched
				return platform.Thread{}, fmt.Errorf("make sure of the session before reading the post %d: %w", post, err)
			}
			th, err := c.Thread(ctx, post)
			if err != nil {
				return platform.Thread{}, fmt.Errorf("read the thread of the post %d: %w", post, err)
			}
			th.Post = briefPost(&th.Post)
			th.Next = briefs(th.Next[:min(len(th.Next), mostAnswers)])
			th.Prev = briefs(th.Prev[max(0, len(th.Prev)-mostParents):])
			return th, nil
		})
	})
}

// foundPosts are posts as a fact.
type foundPosts struct {
	Query string          `json:"query,omitempty"`
	Posts []platform.Post `json:"posts"`
}

func (t *Turn) posts(ctx context.Context, name string, most int, all func(context.Context, *platform.Client) iter.Seq2[platform.Post, error]) ([]platform.Post, error) {
	found, err := readPosts(ctx, t, name, most, "", all)
	return found.Posts, err
}

// readPosts reads posts up to a number, as a fact.
func readPosts(ctx context.Context, t *Turn, name string, most int, query string, all func(context.Context, *platform.Client) iter.Seq2[platform.Post, error]) (foundPosts, error) {
	if most < 1 || most > MostPosts {
		return foundPosts{}, fmt.Errorf("read %d posts: one read gets 1 to %d", most, MostPosts)
	}
	return Fact(ctx, t, name, func(ctx context.Context) (foundPosts, error) {
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) (foundPosts, error) {
			found := foundPosts{Query: query, Posts: []platform.Post{}}
			for p, err := range all(ctx, c) {
				if err != nil {
					return foundPosts{}, fmt.Errorf("read posts (%s): %w", name, err)
				}
				if found.Posts = append(found.Posts, briefPost(&p)); len(found.Posts) == most { //mutate:own-posts-most
					break
				}
			}
			return found, nil
		})
	})
}

func briefs(all []platform.Post) []platform.Post {
	out := make([]platform.Post, len(all))
	for i := range all {
		out[i] = briefPost(&all[i])
	}
	return out
}

// briefPost returns what is kept of a post.
func briefPost(p *platform.Post) platform.Post {
	b := *p
	b.Media, b.Answers = nil, nil
	b.Text, b.Type, b.URL = firstRunes(p.Text, longestText), firstRunes(p.Type, longestLabel), firstRunes(p.URL, longestAddress)
	for _, a := range []*platform.Author{&b.Owner, &b.Reposter} {
		a.Username, a.Name = firstRunes(a.Username, longestLabel), firstRunes(a.Name, longestLabel)
	}
	return b
}

// firstRunes returns the first characters of a text.
func firstRunes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := 0
	for range most {
		_, size := utf8.DecodeRuneInString(text[at:])
		if at += size; at >= len(text) {
			return text
		}
	}
	return text[:at]
}

// mostReplies is how many replies of a thread are looked through, the newest first as far as platforms give them so.
const mostReplies = 100

// Replies looks through the replies to a post, and keeps as a fact those that wanted is true of: of the first 100 that the
// platform gives (thread_replys, documented), in pages of 20, the account's own left out. What names what is wanted: with
// another one it is another fact. The errors are those of Thread.
func (t *Turn) Replies(ctx context.Context, post platform.PostID, what string, wanted func(*platform.Post) bool) ([]platform.Post, error) {
	return Fact(ctx, t, fmt.Sprintf("replies:%d/%s", post, what), func(ctx context.Context) ([]platform.Post, error) {
		me, err := t.reader.me(ctx)
		if err != nil {
			return nil, err
		}
		return read(ctx, t.reader, func(ctx context.Context, c *platform.Client) ([]platform.Post, error) {
			found, seen := []platform.Post{}, 0
			for p, err := range platform.All(ctx, c.ThreadReplies, platform.ThreadRepliesParams{Thread: post, PageSize: postsPage}) {
				if err != nil {
					return nil, fmt.Errorf("read the replies to the post %d: %w", post, err)
				}
				//mutate:replies-own
				if !p.IsOwner && p.UserID != me && wanted(&p) {
					found = append(found, briefPost(&p))
				}
				if seen++; seen == mostReplies {
					break
				}
			}
			return found, nil
		})
	})
}
