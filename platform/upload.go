package platform

import (
	"context"
	"io"
	"net/http"
)

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
// whatever that post is: do not publish at the same time.
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
