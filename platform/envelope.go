package platform

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/nectar-bot/nectar/platform/internal/wire"
)

var (
	errEmptyBody   = errors.New("it is empty")
	errNotEnvelope = errors.New("it is not the envelope of the platform")
)

// envelope is what every answer of the platform is wrapped in.
type envelope struct {
	outcome
	message wire.Value
	data    wire.Value
	auth    wire.Value
}

// readEnvelope reads an answer. The server may print a notice in front of it, which is skipped.
func readEnvelope(body []byte, status int) (envelope, error) {
	var e envelope
	// An answer that says nothing proves nothing, unless its status says that there is nothing: a call that makes something is in doubt then.
	if len(bytes.TrimSpace(body)) == 0 {
		if status == http.StatusNoContent {
			e.code, e.coded = status, true
			return e, nil
		}
		return e, errEmptyBody
	}
	start := envelopeStart(body)
	if start < 0 {
		return e, errNotEnvelope
	}
	end := e.read(body, start)
	if end < 0 {
		return e, ErrCutOff
	}
	// Something stands behind it: a page of a proxy, or two answers in one. Whichever of them counts is a guess.
	if wire.SkipSpaces(body, end) != len(body) {
		return e, errNotEnvelope
	}
	return e, e.deriveCode(status, e.data != nil)
}

// read takes the members of the envelope at body[i] apart. It returns the index behind the envelope, or -1.
func (e *envelope) read(body []byte, i int) (end int) {
	o := wire.ObjectAt(body, i)
	for o.Next() {
		switch string(o.Key) {
		case "message":
			e.message = o.Val
		case "data":
			e.data = o.Val
		case "auth":
			e.auth = o.Val
		default:
			e.readMember(string(o.Key), o.Val)
		}
	}
	return o.End()
}

// envelopeStart returns where the envelope begins: at the first brace with a key behind it, since
// the notices that may stand in front of it name "{closure}" and the like. -1 if there is none.
func envelopeStart(body []byte) int {
	for i, c := range body {
		if c != '{' {
			continue
		}
		if next := wire.SkipSpaces(body, i+1); next < len(body) && (body[next] == '"' || body[next] == '}') {
			return i
		}
	}
	return -1
}
