package platform

import "time"

// Post is a post, or a reply to one.
type Post struct {
	ID     PostID
	Row    RowID // the paging cursor of feeds; 0 where the platform sends none
	UserID UserID
	Text   string // HTML entities decoded, without markup
	Type   string // text, gif, image, video, poll
	Thread PostID // the parent post; 0 for a top-level post
	Time   time.Time
	URL    string

	Replies int
	Reposts int
	Likes   int

	HasLiked    bool
	HasReposted bool
	HasSaved    bool
	IsOwner     bool // written by the asking account
	IsRepost    bool
	CanDelete   bool
	Advertising bool // an advert that feeds insert; it has no Row

	// LikeUntold and RepostUntold say that the answer did not tell whether we have liked or reposted it: then HasLiked and
	// HasReposted are false, and say nothing.
	LikeUntold   bool `json:",omitempty"`
	RepostUntold bool `json:",omitempty"`

	Owner    Author
	Reposter Author
	Media    []Media
	Answers  []Post // "replys" inside thread lists
}

// Author is the short form of a person that posts carry. It is zero where the platform sends null.
type Author struct {
	ID       UserID
	Username string // without "@"
	Name     string
	Verified bool
}

// Media is a picture or a video of a post.
type Media struct {
	ID   MediaID
	Type string // image, video, gif
	URL  string
}

// Thread is a post with what is around it.
type Thread struct {
	CanReply bool
	Post     Post
	Next     []Post // replies
	Prev     []Post // parents
}

// Hashtag is a row of the hashtag search.
type Hashtag struct {
	ID    int64
	Tag   string // without "#"
	Posts int
}
