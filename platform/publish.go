package platform

import (
	"context"
	"encoding/json"
	"net/http"
)

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
