package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"sync"
)

// defaultPageSize is what the contract recommends.
const defaultPageSize = 20

// params are the parameters of a call, in order.
type params []param

type param struct {
	key, value string
	secret     bool
}

func newParams() params { return make(params, 0, 6) } // a session finds room too

func (p params) text(key, value string) params { return append(p, param{key: key, value: value}) }

func (p params) addSecret(key string, value Secret) params {
	return append(p, param{key: key, value: value.Reveal(), secret: true})
}

func (p params) id(key string, value int64) params {
	return p.text(key, strconv.FormatInt(value, 10))
}

func (p params) addFlag(key string, value bool) params {
	if value {
		return p.text(key, "1")
	}
	return p.text(key, "0")
}

// addOptional leaves an empty value out.
func (p params) addOptional(key, value string) params {
	if value == "" {
		return p
	}
	return p.text(key, value)
}

// optionalID leaves 0 out.
func (p params) optionalID(key string, value int64) params {
	if value == 0 {
		return p
	}
	return p.id(key, value)
}

// addPage adds the paging of lists. The cursor is left out on the first page.
func (p params) addPage(size int, offset int64) params {
	return p.optionalID("offset", offset).id("page_size", int64(pageSize(size)))
}

// addWindow adds the paging of messages.
func (p params) addWindow(before, after MessageID, size int) params {
	p = p.optionalID("offset_up", int64(before)).optionalID("offset_down", int64(after))
	return p.id("page_size", int64(pageSize(size)))
}

// rowsKept returns how many rows are kept of the page that the parameters ask for; all where they ask for no page.
func (p params) rowsKept() int {
	for _, each := range p {
		if each.key == "page_size" {
			size, _ := strconv.Atoi(each.value)
			return RowsKept(size)
		}
	}
	return 0
}

func pageSize(size int) int {
	if size <= 0 {
		return defaultPageSize
	}
	return size
}

// encode writes the parameters in the form that both queries and bodies take.
func (p params) encode() string {
	size := 0
	for _, each := range p {
		size += len(each.key) + len(each.value) + len(each.value)/4 + 2
	}
	var b strings.Builder
	b.Grow(size)
	for i, each := range p {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(each.key)
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(each.value))
	}
	return b.String()
}

// secretValues returns the values that must not be seen.
func (p params) secretValues() (values []string) {
	for _, each := range p {
		if each.secret && each.value != "" {
			values = append(values, each.value)
		}
	}
	return values
}

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
	// Some servers refuse a body without a Content-Length.
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
