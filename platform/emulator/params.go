package emulator

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 32 << 20

// param is a parameter as it came in the query or the form.
type param struct{ key, value string }

// params are the parameters of a call: those of the query for GET, those of the form for POST.
// A call has a dozen at most, so they are searched one by one.
type params struct {
	list []param
	file []*multipart.FileHeader // the uploaded files
	body bytes.Buffer
}

func (p *params) reset() {
	clear(p.list)
	p.list = p.list[:0]
	p.file = nil
	p.body.Reset()
}

var errEncoding = errors.New("parameters must come as a query, a form or multipart/form-data")

// read takes the parameters from r by the rules of the contract: no JSON bodies.
func (p *params) read(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodGet {
		return p.parse(r.URL.RawQuery)
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "multipart/form-data":
		return p.readMultipart(w, r)
	case kind == "application/x-www-form-urlencoded":
	case err != nil && r.ContentLength == 0:
	default:
		return errEncoding
	}
	if _, err := p.body.ReadFrom(io.LimitReader(r.Body, maxBody)); err != nil {
		return err
	}
	return p.parse(p.body.String())
}

func (p *params) readMultipart(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	parts, err := r.MultipartReader()
	if err != nil {
		return err
	}
	form, err := parts.ReadForm(maxBody)
	if err != nil {
		return err
	}
	for k, values := range form.Value {
		for _, v := range values {
			p.list = append(p.list, param{k, v})
		}
	}
	for _, files := range form.File {
		p.file = append(p.file, files...)
	}
	return nil
}

// parse adds the parameters of an urlencoded text.
func (p *params) parse(s string) error {
	for s != "" {
		var pair string
		pair, s, _ = strings.Cut(s, "&")
		if pair == "" {
			continue
		}
		k, v, _ := strings.Cut(pair, "=")
		key, err := unescape(k)
		if err != nil {
			return err
		}
		value, err := unescape(v)
		if err != nil {
			return err
		}
		p.list = append(p.list, param{key, value})
	}
	return nil
}

func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// get returns the last value of a parameter, as PHP does, and "" when it is missing.
func (p *params) get(key string) string {
	for _, q := range slices.Backward(p.list) {
		if q.key == key {
			return q.value
		}
	}
	return ""
}

// all returns the values of an array parameter: "key" and "key[]".
func (p *params) all(key string) []string {
	var out []string
	for _, q := range p.list {
		if strings.TrimSuffix(q.key, "[]") == key {
			out = append(out, q.value)
		}
	}
	return out
}

// maxNumber is the largest number that a parameter can name; every client can write it exactly.
const maxNumber = 1 << 53

// id returns a number, 0 when it is missing, negative or none.
func (p *params) id(key string) int64 {
	n, err := strconv.ParseInt(p.get(key), 10, 64)
	if err != nil {
		return 0
	}
	return min(max(n, 0), maxNumber)
}
