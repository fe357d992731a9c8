package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
)

var (
	errNoUpload      = errors.New("the upload has no body")
	errUploadType    = errors.New("the content type of the upload holds a line break")
	errUploadStopped = errors.New("the call is over")
)

// form is the body of a request. That of a GET is empty.
type form struct {
	contentType []string
	length      int64     // in bytes; -1 when unknown
	text        string    // an urlencoded form
	body        io.Reader // a multipart form
	file        *fileBody // in body
}

func newForm(req request) (form, error) {
	switch {
	case req.method == http.MethodGet:
		return form{}, nil
	case req.file != nil:
		return newMultipart(req)
	default:
		text := req.params.encode()
		return form{
			contentType: []string{"application/x-www-form-urlencoded"},
			length:      int64(len(text)), text: text,
		}, nil
	}
}

// newMultipart builds a form with a file, which is read while it is sent.
func newMultipart(req request) (form, error) {
	if req.file.Body == nil {
		return form{}, errNoUpload
	}
	if strings.ContainsAny(req.file.ContentType, "\r\n") {
		return form{}, errUploadType
	}
	var frame bytes.Buffer
	parts := multipart.NewWriter(&frame)
	for _, p := range req.params {
		if err := parts.WriteField(p.key, p.value); err != nil {
			return form{}, fmt.Errorf("write form field: %w", err)
		}
	}
	if _, err := parts.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(req.fileField, req.file.fileName())},
		"Content-Type":        {req.file.contentType()},
	}); err != nil {
		return form{}, fmt.Errorf("write form file: %w", err)
	}
	// The frame is made around a file that is not read yet: it may be longer than memory, and is read while it is sent.
	before := frame.Len()
	if err := parts.Close(); err != nil {
		return form{}, fmt.Errorf("close form: %w", err)
	}
	file := &fileBody{from: req.file.Body}
	head, tail := frame.Bytes()[:before], frame.Bytes()[before:]
	f := form{
		contentType: []string{parts.FormDataContentType()}, length: -1, file: file,
		body: io.MultiReader(bytes.NewReader(head), file, bytes.NewReader(tail)),
	}
	// Some servers refuse a body whose length they are not told.
	if size := req.file.size(); size >= 0 {
		f.length = int64(frame.Len()) + size
	}
	return f, nil
}

// stop keeps the transport, which may read on after an early answer, from the caller's file.
func (f form) stop() {
	if f.file != nil {
		f.file.stop()
	}
}

// fileBody is a reader that can be stopped.
type fileBody struct {
	mu      sync.Mutex // guards the fields below
	from    io.Reader
	stopped bool
}

func (f *fileBody) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return 0, errUploadStopped
	}
	return f.from.Read(p)
}

func (f *fileBody) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
}

func (u *Upload) fileName() string {
	if u.Name == "" {
		return "file" // a form field without a file name is no file
	}
	return u.Name
}

func (u *Upload) contentType() string {
	if u.ContentType == "" {
		return "application/octet-stream"
	}
	return u.ContentType
}

// size returns the number of bytes to be sent, or -1 when it is unknown.
func (u *Upload) size() int64 {
	if u.Size > 0 {
		return u.Size
	}
	if sized, ok := u.Body.(interface{ Len() int }); ok {
		return int64(sized.Len())
	}
	return -1
}

// markBody returns a function that moves Body back to where it is now, and reports whether it could.
func (u *Upload) markBody() (rewind func() bool) {
	seeker, ok := u.Body.(io.Seeker)
	if !ok {
		return func() bool { return false }
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	return func() bool {
		if err != nil {
			return false
		}
		_, err := seeker.Seek(start, io.SeekStart)
		return err == nil
	}
}
