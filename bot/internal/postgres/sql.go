package postgres

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/internal/seal"
)

// The statements are written for SQLite. What PostgreSQL has in another form is put into it here; the few that differ in
// more than form are reworded, here or where they are written.
var _ = remote.AddRewordings(map[string]string{
	`BEGIN IMMEDIATE`: BeginWriting,
	seal.OldSessions:  `SELECT account, sealed FROM session WHERE substring(sealed FROM 1 FOR 1) = '\x01'`,
})

// BeginWriting begins a transaction that writes.
const BeginWriting = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE`

// forms are what every statement may have.
var forms = []struct {
	form *regexp.Regexp
	in   string
}{
	// Its planner chooses by itself: hints are SQLite's.
	{regexp.MustCompile(`\s+INDEXED BY \w+`), ``},
	{regexp.MustCompile(`(\$\d+) \+ 0`), `$1`},
	{regexp.MustCompile(`NOT IN \(SELECT value FROM json_each\((\$\d+)\)\)`), `<> ALL ($1)`},
	{regexp.MustCompile(`IN \(SELECT value FROM json_each\((\$\d+)\)\)`), `= ANY ($1)`},
	{regexp.MustCompile(`json_each\((\$\d+)\) AS ahead`), `unnest($1::bigint[]) AS ahead(value)`},
	{regexp.MustCompile(`json_each\((\$\d+)\) AS t`), `(SELECT value, key - 1 AS key FROM unnest($1::text[]) WITH ORDINALITY AS list(value, key)) AS t`},
	// A backslash in a pattern means nothing in SQLite, and here only without an escape character.
	{regexp.MustCompile(`LIKE (\$\d+)`), `LIKE $1 ESCAPE ''`},
	// NOCASE knows the letters of ASCII alone, and so does the collation "C".
	{regexp.MustCompile(`(\w+|CASE [^;]* END) = (\$\d+) COLLATE NOCASE`), `lower($1) = lower($2 COLLATE "C")`},
	{regexp.MustCompile(`typeof\(([\w.]+)\) = 'blob'`), `substring($1 FROM 1 FOR 1) = '\x02'`},
	{regexp.MustCompile(`<> x'00'`), `<> '\x00'`},
	{regexp.MustCompile(`substr\(sealed, 1, 1\)`), `substring(sealed FROM 1 FOR 1)`},
	// A NUL in a name is kept as it is in the column of names.
	{regexp.MustCompile(`json_each\(a\.claims, '\$\.has'\) AS c`), `jsonb_array_elements(nullif(regexp_replace(a.claims, ` +
		`'(?<!\\)((?:\\\\)*)\\u0000', '\1` + string(firstKept) + `', 'g'), '')::jsonb -> 'has') AS c(value)`},
}

var (
	parameters = regexp.MustCompile(`\?(\d*)`)
	inForm     sync.Map // of texts
)

// forPostgres returns a statement as PostgreSQL has it.
func forPostgres(text string) string {
	if known, ok := inForm.Load(text); ok {
		form, _ := known.(string)
		return form
	}
	form := text
	if own, ok := remote.RewordingOf(text); ok {
		form = own
	}
	n := 0
	form = parameters.ReplaceAllStringFunc(form, func(p string) string {
		if p != "?" {
			return "$" + p[1:]
		}
		n++
		return "$" + strconv.Itoa(n)
	})
	for _, f := range forms {
		form = f.form.ReplaceAllString(form, strings.ReplaceAll(strings.ReplaceAll(f.in, `$1`, `${1}`), `$2`, `${2}`))
	}
	form = greatest(form)
	inForm.Store(text, form)
	return form
}

// greatest renames max where it takes several values.
func greatest(text string) string {
	const name = "max("
	before, rest, found := strings.Cut(text, name)
	if !found {
		return text
	}
	depth, several := 1, false
	for _, c := range rest {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 1:
			several = true
		}
		if depth == 0 {
			break
		}
	}
	if several {
		return before + "greatest(" + greatest(rest)
	}
	return before + name + greatest(rest)
}
