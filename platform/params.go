package platform

import (
	"net/url"
	"strconv"
	"strings"
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
