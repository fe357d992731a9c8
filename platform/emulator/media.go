package emulator

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// maxImages is how many pictures one post may have.
const maxImages = 10

// media is a picture or a video of a post.
type media struct {
	id   platform.MediaID
	kind string // image, video, gif
	url  string
	at   time.Time
}

var refuseMedia = &refusal{codeInvalid, "Media type is missing or invalid", "invalid_media_type"}

// uploadMedia serves POST upload_post_media. The file waits for the next post of the session.
func (p *Platform) uploadMedia(c *call) {
	kind := strings.ToLower(c.params.get("type"))
	switch {
	case kind != "image" && kind != "video":
		c.refuseCall(refuseMedia)
		return
	case len(c.params.file) == 0 || c.params.file[0].Size == 0:
		c.refuseCall(&refusal{codeServer, "Media file is missing or invalid", "invalid_media_file"})
		return
	case len(c.session.pending) >= maxImages, len(c.session.pending) > 0 && kind == "video":
		c.refuseCall(&refusal{codeInvalid, "You cannot attach more files to this post", "total_limit_exceeded"})
		return
	}
	m := media{id: p.ids.nextMedia(), kind: kind, at: c.now}
	m.url = site + "upload/" + kind + "s/" + strconv.FormatInt(int64(m.id), 10)
	c.session.pending = append(c.session.pending, m)
	c.open("Media file uploaded successfully")
	c.openObject()
	c.writeNumber("media_id", int64(m.id))
	if kind == "image" {
		c.text("url", m.url)
		c.text("type", "Image")
	} else {
		c.text("type", "Video")
		c.text("source", m.url)
		c.text("poster", m.url+".png")
	}
	c.closeObject()
	c.close()
}

// deleteMedia serves POST delete_post_media, for files that wait.
func (p *Platform) deleteMedia(c *call) {
	kind := strings.ToLower(c.params.get("type"))
	id := platform.MediaID(c.params.id("media_id"))
	i := slices.IndexFunc(c.session.pending, func(m media) bool { return m.id == id && m.kind == kind })
	if i < 0 {
		c.refuseCall(&refusal{codeInvalid, "Media ID is missing or invalid", "invalid_media_id"})
		return
	}
	c.session.pending = slices.Delete(c.session.pending, i, i+1)
	c.done("Media file deleted successfully")
}

// writeMedium writes a picture or a video of a post.
func (e *encoder) writeMedium(m media, q *post) {
	e.openObject()
	e.writeNumber("id", int64(m.id))
	e.writeNumber("pub_id", int64(q.id))
	e.text("type", m.kind)
	e.text("src", m.url)
	e.text("json_data", "[]")
	e.count("time", e.shownClock(q.at).Unix())
	e.key("x")
	if m.kind == "gif" {
		e.writeNothing()
	} else {
		e.openObject()
		e.text("image_thumb", m.url+".png")
		e.text("poster_thumb", m.url+".png")
		e.closeObject()
	}
	e.closeObject()
}
