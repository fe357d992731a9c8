package platform

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

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
	// Something stands behind it: a page of a proxy, or two answers in one. Which of them counts would be a guess.
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

// errNoSuccess is an answer without a code that says of itself that something went wrong, and not what.
var errNoSuccess = errors.New("it has no code, and says that it is no success")

// outcome is what an answer says of how the call went. Where there is a code, nothing else counts.
type outcome struct {
	code   int
	coded  bool // there is a code
	status int  // the code that "status" gives; 0: none
	failed failing
	named  string // by "err_code" or "error_code"
}

// failing are the members of an answer that speak of a failure.
type failing uint8

const (
	failingCode failing = 1 << iota // it is no number, and no word of success
	failingStatus
	failingError
	failingErrCode
	failingErrorCode
	failingValid
)

// readMember reads a member of the envelope. Of one that comes twice the last one counts.
func (o *outcome) readMember(key string, v wire.Value) {
	switch key {
	case "code":
		if n, ok := v.Number(); ok {
			o.code, o.coded = int(n), true
			return
		}
		o.set(failingCode, !succeeds(v))
	case "status":
		n, ok := v.Number()
		if o.status = 0; ok && n >= 100 && n <= 599 {
			o.status = int(n)
		}
		o.set(failingStatus, o.status == 0 && !succeeds(v)) //mutate:codeless-status
	case "error":
		o.set(failingError, !namesNothing(v)) //mutate:codeless-error
	case "err_code":
		o.set(failingErrCode, !namesNothing(v))
		o.name(v)
	case "error_code":
		o.set(failingErrorCode, !namesNothing(v))
		o.name(v)
	case "valid":
		is, known := v.Boolean()
		o.set(failingValid, known && !is) //mutate:codeless-valid
	}
}

func (o *outcome) set(f failing, speaks bool) {
	if o.failed &^= f; speaks {
		o.failed |= f
	}
}

// name keeps what a failure is called.
func (o *outcome) name(v wire.Value) {
	if !namesNothing(v) {
		o.named = strings.ToLower(v.Text())
	}
}

// deriveCode gives an answer a code that has none: that of "status", or of what a failure is called. The HTTP status stands for it where
// nothing speaks of a failure and there is data; an empty object in answer to a call that makes something may come from anywhere.
func (o *outcome) deriveCode(httpStatus int, data bool) error {
	fine := httpStatus >= 200 && httpStatus <= 299
	switch {
	case o.coded:
	// A page of a web server may be such an object, too, and says nothing of what the platform has.
	case !fine && !data && o.status != http.StatusUnauthorized:
		return errNotEnvelope
	case o.status != 0 && (o.status < 200 || o.status > 299):
		o.code = o.status
	case o.failed != 0 && strings.Contains(o.named, "unauthorized"):
		o.code = http.StatusUnauthorized
	// The platform's own way of saying no, in older deployments.
	case o.failed&failingValid != 0, o.failed != 0 && strings.HasPrefix(o.named, "invalid"):
		o.code = http.StatusBadRequest
	case o.failed != 0: //mutate:codeless-failed
		return errNoSuccess
	case o.status != 0:
		o.code = o.status
	case fine && data:
		o.code = http.StatusOK
	default:
		return errNotEnvelope
	}
	return nil
}

// succeeds reports whether a value in the place of a code says nothing against a success.
func succeeds(v wire.Value) bool {
	switch strings.ToLower(strings.TrimSpace(v.Text())) {
	case "ok", "success", "true", "1":
		return true
	case "":
		return string(v) == "true" || v.IsNothing() && string(v) != "false"
	}
	return false
}

// namesNothing reports whether a value that would name a failure names none.
func namesNothing(v wire.Value) bool {
	if n, ok := v.Number(); ok {
		return n == 0
	}
	return v.IsNothing()
}

// uncodedKey is the key under which a context holds whether an answer had a code.
type uncodedKey struct{}

// WithUncoded returns a context for calls of which somebody wants to know whether an answer that was taken for a success had no code: such
// an answer proves little where it names nothing. uncoded is set to true then.
func WithUncoded(ctx context.Context, uncoded *atomic.Bool) context.Context {
	return context.WithValue(ctx, uncodedKey{}, uncoded)
}

// noteUncoded takes down that an answer had no code.
func noteUncoded(ctx context.Context, e envelope) {
	if e.coded {
		return
	}
	if uncoded, ok := ctx.Value(uncodedKey{}).(*atomic.Bool); ok {
		uncoded.Store(true)
	}
}

// creationError returns the error of a call that makes something: err, or that its answer proves nothing.
func creationError(endpoint string, proven bool, err error) error {
	if err != nil || proven {
		return err
	}
	return &Unreadable{Endpoint: endpoint, HTTPStatus: http.StatusOK, Err: ErrUnnamed}
}
