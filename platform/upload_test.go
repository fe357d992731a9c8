package platform_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nectar-bot/nectar/bot/bottest/effort"
	"github.com/nectar-bot/nectar/platform"
)

// watched is a reader that notes reads after the call is over.
type watched struct {
	io.Reader
	over atomic.Bool
	late atomic.Bool
}

func (w *watched) Read(p []byte) (int, error) {
	if w.over.Load() {
		w.late.Store(true)
	}
	return w.Reader.Read(p)
}

// endless is a reader that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestPictureIsSentAsAForm(t *testing.T) {
	const picture = "not really a picture"
	for _, test := range []struct {
		name   string
		upload platform.Upload
		length bool // announced
		file   string
		typ    string
	}{
		{"of known length", platform.Upload{Name: "bee.png", ContentType: "image/png", Body: strings.NewReader(picture)}, true, "bee.png", "image/png"},
		{"of given length", platform.Upload{Body: io.MultiReader(strings.NewReader(picture)), Size: int64(len(picture))}, true, "file", "application/octet-stream"},
		{"of unknown length", platform.Upload{Body: io.MultiReader(strings.NewReader(picture))}, false, "file", "application/octet-stream"},
	} {
		t.Run(test.name, func(t *testing.T) {
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if announced := r.ContentLength > 0; announced != test.length {
					t.Errorf("ContentLength is %d", r.ContentLength)
				}
				file, header, err := r.FormFile("image")
				if err != nil {
					t.Error(err)
					return
				}
				data, err := io.ReadAll(file)
				if err != nil || string(data) != picture {
					t.Errorf("file is %q, %v", data, err)
				}
				if header.Filename != test.file || header.Header.Get("Content-Type") != test.typ {
					t.Errorf("file is called %q, of type %q", header.Filename, header.Header.Get("Content-Type"))
				}
				if r.PostFormValue("type") != "media" || r.PostFormValue("user_id") != "90" || r.PostForm.Has("message") {
					t.Errorf("form is %v", r.PostForm)
				}
				_, _ = io.WriteString(w, `{"code":200,"data":{"id":507}}`)
			})
			client := clientOf(t, platform.Config{BaseURL: address})
			sent, err := client.SendMessage(t.Context(), platform.SendMessageParams{To: 90, Image: &test.upload})
			if err != nil || sent.ID != 507 {
				t.Errorf("got %+v, %v", sent, err)
			}
		})
	}
}

// TestUploadIsNotReadAfterTheCall has servers answer, or hang up, long before the file ends.
func TestUploadIsNotReadAfterTheCall(t *testing.T) {
	effort.Shared(t)
	for name, handler := range map[string]http.HandlerFunc{
		"answered early": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"code":500,"message":"Media file is missing or invalid","data":[]}`)
		},
		"hung up": func(w http.ResponseWriter, _ *http.Request) { hangUp(t, w) },
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOf(t, platform.Config{BaseURL: serve(t, handler)})
			for range 20 {
				file := &watched{Reader: endless{}}
				_, err := client.UploadPostMedia(t.Context(), platform.UploadParams{
					Type: platform.UploadVideo, File: platform.Upload{Body: file},
				})
				file.over.Store(true)
				if err == nil || file.late.Load() {
					t.Fatalf("got %v, read afterwards: %v", err, file.late.Load())
				}
			}
		})
	}
}

func TestUploadThatCannotBeSent(t *testing.T) {
	client := answering(t, `{"code":200,"data":{"media_id":5}}`)
	for name, upload := range map[string]platform.Upload{
		"no body":                {Name: "bee.png"},
		"line break in the type": {Body: strings.NewReader("x"), ContentType: "image/png\r\nX-Evil: 1"},
	} {
		_, err := client.UploadPostMedia(t.Context(), platform.UploadParams{Type: "image", File: upload})
		_, ok := errors.AsType[*platform.Unreachable](err)
		if !ok || platform.InDoubt(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestUploadWhoseReaderFails(t *testing.T) {
	broken := errors.New("disk is gone")
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	client := clientOf(t, platform.Config{BaseURL: address})
	_, err := client.UploadPostMedia(t.Context(), platform.UploadParams{
		Type: "image", File: platform.Upload{Body: io.MultiReader(strings.NewReader("x"), failing{broken})},
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
