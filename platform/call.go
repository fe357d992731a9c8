package platform

import (
	"context"
	"errors"
	"net/http"
)

// access says whether a call is sent with a session.
type access int

const (
	public    access = iota // never
	optional                // if there is an Authorizer: the answer then tells the relation to the account
	protected               // always
	shown                   // always, but strangers may be answered as well: an answer says nothing of the session
	ending                  // always, but a refusal of the session is an answer like any other
)

// request is a call before it has a session.
type request struct {
	method, endpoint string
	access           access
	params           params
	file             *Upload // makes the form a multipart one
	fileField        string
	list             bool     // code 204 is an empty list
	missing          bool     // so is code 404, for get_notifications (documented by deployments)
	signsIn          bool     // nothing of an unreadable answer is kept: it may hold new tokens
	rows             *rowCall // not nil: the answer is read row by row
}

// call makes a call from the wait for a session to the reading of the answer, for which it calls
// read; what read gets is gone when it returns. All of it happens within the client's timeout.
func (c *Client) call(ctx context.Context, req request, read func(envelope) error) error {
	err := c.try(ctx, req, read)
	if err != nil && c.failed != nil {
		c.failed(err)
	}
	return err
}

func (c *Client) try(ctx context.Context, req request, read func(envelope) error) error {
	limited := c.Limited()
	ctx, cancel := c.boundPart(ctx, !limited)
	defer cancel()
	if req.access == public || req.access == optional && c.auth == nil {
		return c.leave(ctx, req, limited, read)
	}
	rewind := req.bookmark()
	for again := false; ; again = true {
		id, err := c.session(ctx, req.endpoint, limited)
		if err != nil {
			return err
		}
		err = c.leave(ctx, req.with(id), limited, read)
		if err == nil && req.access == protected && c.accepted != nil { //mutate:session-proof
			c.accepted(id)
		}
		refusal, refused := errors.AsType[*Refused](err)
		if !refused || !refusal.aboutSession() || req.access == ending || again && refusal.Code == http.StatusUnauthorized {
			return err
		}
		// The platform refused the session before it did anything, so even a write can be repeated: once.
		stale, authErr := c.rejected(ctx, id, refusal, limited)
		switch {
		case authErr != nil:
			return &SessionError{Endpoint: req.endpoint, Err: authErr}
		//mutate:second-400
		case stale && again: // it only looks as if the call were at fault
			return &SessionError{Endpoint: req.endpoint, Err: errTwice}
		case !stale || !rewind():
			return err
		}
	}
}

// leave makes one request, as soon as it may.
func (c *Client) leave(ctx context.Context, req request, limited bool, read func(envelope) error) error {
	if err := c.waitToLeave(ctx, req, limited); err != nil {
		return err
	}
	ctx, cancel := c.boundPart(ctx, limited)
	defer cancel()
	if req.access != public && (req.access != optional || c.auth != nil) {
		if err := askPermit(ctx, req.endpoint); err != nil {
			return err
		}
	}
	return c.send(ctx, req, read)
}

// rejected tells the authorizer that a session was refused.
func (c *Client) rejected(ctx context.Context, id Secret, refusal *Refused, limited bool) (again bool, err error) {
	ctx, cancel := c.boundPart(ctx, limited)
	defer cancel()
	return c.auth.Rejected(ctx, id, refusal)
}

// send makes one request, and tells of a good answer.
func (c *Client) send(ctx context.Context, req request, read func(envelope) error) error {
	err := c.core.send(ctx, req, read)
	if err == nil && c.answered != nil {
		c.answered()
	}
	return err
}

// errTwice is why a call was not repeated any more.
var errTwice = errors.New("two sessions in a row were refused")

func (c *Client) session(ctx context.Context, endpoint string, limited bool) (Secret, error) {
	if c.auth == nil {
		return "", &SessionError{Endpoint: endpoint, Err: ErrNoSession}
	}
	ctx, cancel := c.boundPart(ctx, limited)
	defer cancel()
	id, err := c.auth.SessionID(ctx)
	if err == nil && id == "" {
		err = ErrNoSession
	}
	if err != nil {
		return "", &SessionError{Endpoint: endpoint, Err: err}
	}
	return id, nil
}

// aboutSession reports whether the refusal may mean that the session is invalid. Codes 400 and 401
// share one description in the contract.
func (e *Refused) aboutSession() bool { return (e.Code == 401 || e.Code == 400) && !e.rateLimited() }

// with returns the request with a session.
func (r request) with(id Secret) request {
	r.params = r.params.addSecret("session_id", id)
	return r
}

// bookmark returns a function that makes the request ready to be sent again, and reports whether it
// could: a file may be readable only once.
func (r request) bookmark() (rewind func() bool) {
	if r.file == nil || r.file.Body == nil {
		return func() bool { return true }
	}
	return r.file.markBody()
}

// acceptsCode reports whether code means success.
func (r request) acceptsCode(code int) bool {
	switch code {
	case http.StatusNoContent:
		return r.list
	case http.StatusNotFound:
		return r.missing
	default:
		return code >= 200 && code <= 299 // 201 is documented for follow
	}
}
