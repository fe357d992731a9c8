package emulator

import (
	"time"

	"github.com/nectar-bot/nectar/platform"
)

// The result codes of the API.
const (
	codeOK           = 200
	codeRequested    = 201 // follow: a request was sent
	codeNoData       = 204
	codeInvalid      = 400
	codeUnauthorized = 401
	codeCredentials  = 402
	codeNotFound     = 404
	codeTooMany      = 429
	codeServer       = 500
)

// refusal is an answer other than success.
type refusal struct {
	code int
	text string // message
	tag  string // err_code of older deployments
}

// The refusals that more than one endpoint gives.
var (
	refuseMethod      = &refusal{codeInvalid, "Invalid request method", "invalid_request_method"}
	refuseEncoding    = &refusal{codeInvalid, "Invalid request data", "invalid_request_data"}
	refuseUser        = &refusal{codeInvalid, "User ID is missing or invalid", "invalid_user_id"}
	refusePost        = &refusal{codeInvalid, "Post ID is missing or invalid", "invalid_post_id"}
	refuseUnavailable = &refusal{codeInvalid, "This content is not available", "not_available"}
)

// call is one request on its way through the platform. It is used again for others.
type call struct {
	encoder
	params   params
	endpoint *endpoint
	now      time.Time
	session  *session // nil: none, or an ended one
	account  *user    // of the session; nil without
	answer   refusal  // the code, message and err_code of the envelope, also of success
	status   int      // the HTTP status; 0 until sealed
	kind     []string // the Content-Type
	page     []*message
}

func newCall(p *Platform) *call {
	c := &call{}
	c.dialect = &p.dialect
	return c
}

func (c *call) reset() {
	c.buf = c.buf[:0]
	c.params.reset()
	c.session, c.account = nil, nil
	c.answer = refusal{}
	c.status, c.kind = 0, nil
	clear(c.page)
	c.page = c.page[:0]
}

// open begins the envelope of a success, up to the value of data.
func (c *call) open(text string) {
	c.openWith(refusal{code: codeOK, text: text})
}

func (c *call) openWith(r refusal) {
	c.answer = r
	c.openObject()
	if !c.dialect.CodeLast {
		c.result()
	}
	c.key("data")
}

// close ends the envelope, after the value of data.
func (c *call) close() {
	if c.dialect.CodeLast {
		c.result()
	}
	c.writeExtra()
	c.closeObject()
}

// result writes the members of the envelope beside data.
func (c *call) result() {
	d := c.dialect
	switch d.Code {
	case CodeDocumented:
		c.writeNumber("code", int64(c.answer.code))
	case CodeInStatus:
		c.writeNumber("status", int64(c.answer.code))
	case CodeAbsent:
	}
	if c.answer.text != "" && !d.NoMessage {
		c.text("message", c.answer.shownMessage(d))
	}
	if !d.OldKeys && d.Code != CodeAbsent {
		return
	}
	c.key("valid")
	c.writeBoolean(c.answer.code < 300)
	name := "err_code"
	if d.ErrorCodeKey {
		name = "error_code"
	}
	if c.answer.tag == "" {
		c.writeNumber(name, 0)
		return
	}
	c.text(name, c.answer.tag)
}

// shownMessage returns the message in the language of the dialect.
func (r *refusal) shownMessage(d *Dialect) string {
	switch {
	case !d.Localised:
		return r.text
	case r.text == textBlocked:
		return "Пользователь заблокирован"
	case r.text == textUnblocked:
		return "Пользователь разблокирован"
	case r.code < 300:
		return "Готово"
	default:
		return "Запрос отклонён"
	}
}

// writeExtra writes keys that no documentation names, where the dialect has them.
func (e *encoder) writeExtra() {
	if !e.dialect.ExtraKeys {
		return
	}
	e.key("build")
	e.openObject()
	e.text("id", `a"b]}`)
	e.emptyList("flags")
	e.closeObject()
	e.writeNull("hint")
}

// refuseCall answers with a refusal.
func (c *call) refuseCall(r *refusal) {
	c.openWith(*r)
	c.writeNothing()
	c.close()
}

// done answers with success and nothing else.
func (c *call) done(text string) {
	c.open(text)
	c.writeNothing()
	c.close()
}

// answerEmpty answers a list without rows.
func (c *call) answerEmpty() {
	r := refusal{codeNoData, "No data found", ""}
	switch c.dialect.Empty {
	case EmptyIsList:
		r = refusal{code: codeOK, text: "Fetched successfully"}
	case EmptyIs204:
	case EmptyDocumented:
		if c.endpoint.name == "get_notifications" {
			r.code = codeNotFound
		}
	}
	c.refuseCall(&r)
}

// answerList answers with n rows, each written by write; or with the dialect's way to say "none".
func (c *call) answerList(text string, n int, write func(i int)) {
	if n == 0 {
		c.answerEmpty()
		return
	}
	c.open(text)
	c.openList()
	for i := range n {
		c.beginItem(i)
		write(i)
	}
	c.closeList()
	c.close()
}

// rowRange returns which rows of a list a call asks for: those below an offset, and how many.
func (c *call) rowRange(p *Platform) (offset platform.RowID, size int) {
	return platform.RowID(c.params.id("offset")), p.pageSize(int(c.params.id("page_size")), standardPage)
}
