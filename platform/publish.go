package platform

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

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

// The values of PublishPostParams.Privacy, as documented by deployments.
const (
	PrivacyEveryone  = "everyone"
	PrivacyFollowers = "followers"
	PrivacyMentioned = "mentioned"
)

// PublishPostParams are a post to be published. Pictures and videos are uploaded before it, with
// UploadPostMedia: the platform attaches what waits for the session.
type PublishPostParams struct {
	Text    string   // at most 600 characters (documented; the unit is not)
	Thread  PostID   // the post to reply to; 0 for a post of its own
	GIF     string   // address of a GIF; only without other media
	Poll    []string // two to four options
	Privacy string   // PrivacyEveryone where empty; the platform ignores it on replies
}

// PublishPost publishes a post or a reply and returns it as stored; its ID is 0 where the answer does
// not tell. Of one that has no code either the error wraps ErrUnnamed.
//
// There is no idempotency: after an error that is InDoubt, read ProfilePosts or ThreadReplies before
// publishing again.
func (c *Client) PublishPost(ctx context.Context, p PublishPostParams) (published Post, err error) {
	params := newParams().text("post_text", p.Text).optionalID("thread_id", int64(p.Thread))
	params = params.addOptional("gif_src", p.GIF).addOptional("privacy", p.Privacy)
	if len(p.Poll) > 0 {
		params = params.text("poll_data", pollData(p.Poll))
	}
	req := request{method: http.MethodPost, endpoint: "publish_post", access: protected, params: params}
	proven := true
	err = c.call(ctx, req, func(e envelope) error {
		published, proven = readPost(e.data)
		proven = proven || e.coded
		return nil
	})
	return published, creationError(req.endpoint, proven, err)
}

// pollData writes the options of a poll in the form that publish_post documents.
func pollData(options []string) string {
	type option struct {
		Value string `json:"value"`
	}
	list := make([]option, len(options))
	for i, text := range options {
		list[i].Value = text
	}
	data, _ := json.Marshal(list) // texts always have a JSON form
	return string(data)
}

// DeletePost removes a post or a reply of the account.
func (c *Client) DeletePost(ctx context.Context, id PostID) error {
	return c.call(ctx, request{
		method: http.MethodPost, endpoint: "delete_post", access: protected,
		params: newParams().id("post_id", int64(id)),
	}, nil)
}

// Upload is a file to be sent. Body is read once, and not after the call has returned, so its Read
// should not block for long; a call that must be repeated after a renewed session can be so only if
// Body is an io.Seeker.
type Upload struct {
	Name        string // of the file
	ContentType string // defaults to application/octet-stream
	Body        io.Reader
	Size        int64 // in bytes; 0 when unknown
}

// The values of UploadParams.Type.
const (
	UploadImage = "image"
	UploadVideo = "video"
)

// UploadParams are a picture or a video for the next post.
type UploadParams struct {
	Type string // UploadImage or UploadVideo
	File Upload
}

// Uploaded is a picture or a video that waits for its post.
type Uploaded struct {
	ID     MediaID
	Type   string // image or video
	URL    string
	Poster string // the still picture of a video
}

// UploadPostMedia sends a picture or a video. The next PublishPost of the same session takes it,
// even if it was meant as another post: do not publish at the same time.
func (c *Client) UploadPostMedia(ctx context.Context, p UploadParams) (stored Uploaded, err error) {
	req := request{
		method: http.MethodPost, endpoint: "upload_post_media", access: protected,
		params: newParams().text("type", p.Type),
		file:   &p.File, fileField: "file",
	}
	proven := true
	err = c.call(ctx, req, func(e envelope) error {
		stored = readUploaded(e.data)
		proven = e.coded || stored.ID != 0
		return nil
	})
	return stored, creationError(req.endpoint, proven, err)
}

// DeletePostMedia removes a picture or a video that waits for its post.
func (c *Client) DeletePostMedia(ctx context.Context, mediaType string, id MediaID) error {
	return c.call(ctx, request{
		method: http.MethodPost, endpoint: "delete_post_media", access: protected,
		params: newParams().text("type", mediaType).id("media_id", int64(id)),
	}, nil)
}
