package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nectar-bot/nectar/bot/event"
	"github.com/nectar-bot/nectar/bot/internal/remote"
	"github.com/nectar-bot/nectar/bot/record"
	"github.com/nectar-bot/nectar/internal/reason"
)

// Where statements use what another package has, or what a function makes, that has to be known here.
var (
	elsewhere = map[string]string{
		"reason.WatchedSQL": reason.WatchedSQL, "reason.RecordedSQL": reason.RecordedSQL, "remote.Now": remote.Now, "remote.Began": remote.Began, "record.AccountRemoved": record.AccountRemoved,
		"event.PublishingLimit": event.PublishingLimit,
	}
	made = map[string]func(args []string) string{
		"leapingStatement": func(args []string) string { return leapingStatement(args[0]) },
		"lookingStatement": func(args []string) string { return lookingStatement(args...) },
		"newestOf":         func(args []string) string { return newestOf(sourceOf(args[0])) },
		"oldestOf":         func(args []string) string { return oldestOf(sourceOf(args[0])) },
	}
)

func sourceOf(number string) event.Source {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err) // it does not compile
	}
	return event.Source(n)
}

// written are the constants and variables of the package, as its source has them.
type written struct {
	tb     testing.TB
	values map[string]ast.Expr
	parts  map[string]bool // those that something else is made of
}

// readSource reads the source of the package.
func readSource(tb testing.TB) *written {
	tb.Helper()
	w := &written{tb, map[string]ast.Expr{}, map[string]bool{}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			tb.Fatal(err)
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				w.declare(d)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sum, ok := n.(*ast.BinaryExpr); ok {
				for _, part := range []ast.Expr{sum.X, sum.Y} {
					if id, ok := part.(*ast.Ident); ok {
						w.parts[id.Name] = true
					}
				}
			}
			return true
		})
	}
	return w
}

func (w *written) declare(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, value := range v.Values {
			w.values[v.Names[i].Name] = value
		}
	}
}

// text returns the text that an expression makes; false where it makes none that is known.
func (w *written) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s, true
		}
		return e.Value, e.Kind == token.INT
	case *ast.Ident:
		value, ok := w.values[e.Name]
		if !ok {
			return "", false
		}
		return w.text(value)
	case *ast.BinaryExpr:
		x, ok := w.text(e.X)
		y, also := w.text(e.Y)
		return x + y, ok && also
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			s, known := elsewhere[of.Name+"."+e.Sel.Name]
			return s, known
		}
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.Ident)
		if !ok || made[f.Name] == nil {
			return "", false
		}
		args := make([]string, len(e.Args))
		for i := range e.Args {
			if args[i], ok = w.text(e.Args[i]); !ok {
				return "", false
			}
		}
		return made[f.Name](args), true
	}
	return "", false
}

// isStatement reports whether a text is one, or the beginning of one.
func isStatement(text string) bool {
	verb, _, _ := strings.Cut(text, " ")
	return slices.Contains([]string{"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"}, verb)
}

// Texts returns the statements that are constants or variables of the package, by their names: those that nothing else is made of.
func Texts(tb testing.TB) map[string]string {
	tb.Helper()
	w, all := readSource(tb), map[string]string{}
	for name, value := range w.values {
		text, known := w.text(value)
		switch {
		case !isStatement(text) || w.parts[name] || strings.HasSuffix(text, " "):
		case !known:
			tb.Errorf("%s is made of something that export_statement_test.go does not know: add it to elsewhere or to made", name)
		default:
			all[name] = text
		}
	}
	return all
}

// Statements returns every statement that the store has of both databases, or of a file alone, but for Leaping, and for those that may read much: these
// are for who asks now and then.
func Statements(tb testing.TB) []string {
	tb.Helper()
	all := Texts(tb)
	maps.DeleteFunc(all, func(name, _ string) bool {
		return strings.HasPrefix(name, "leap") || slices.Contains(MayReadMuch, name) || slices.Contains(OfServer, name)
	})
	texts := slices.Collect(maps.Values(all))
	for _, st := range new(applier).all() {
		texts = append(texts, st.text)
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// PostgresStatements returns those of Statements that a server gets, with Leaping, and what it alone gets of retention.
func PostgresStatements(tb testing.TB) []string {
	tb.Helper()
	all := Texts(tb)
	texts := slices.DeleteFunc(Statements(tb), func(text string) bool {
		return isOfFile.MatchString(text) || !isStatement(text) || slices.ContainsFunc(OfFile, func(name string) bool { return all[name] == text })
	})
	return slices.Concat(texts, Leaping(), slices.Collect(maps.Values(new(keepingAll).statementTexts())))
}

// MayReadMuch are the statements that read a whole table, or all that an account has in it.
var MayReadMuch = []string{
	"countWaiting", "lookHandled", "lookKept", "lookSeen", "selectActionCounts", "selectActionsOf", "selectActionsWith", "selectDeleted",
	"selectEntriesWith", "selectEventCounts", "selectFactsOf", "selectIgnored", "selectKeysOf", "selectKnows", "selectLimitUsesWith",
	"selectNamedOf", "selectNoticesWith", "selectOldest", "selectOrphanedTimers", "selectOwnTurns", "selectPositionOf", "selectRecorded",
	"selectSeenNamed", "selectSelves", "selectStraysWith", "selectTakeovers", "selectTally", "selectTallyOf", "selectTimerNames", "selectTurns",
	"selectTurnsWith", "selectWatchTally", "selectWatchTallyOf",
}

// OfServer are the statements about what a file does not have.
var OfServer = []string{
	"addAccounts", "changeAccounts", "changeSet", "countAccountChange", "endBackend", "InsertEdition", "InsertSet", "joinFence", "moveFence",
	"readFence", "sealsWith", "selectAccountChange", "selectAccountIsThis", "selectAlone", "selectEdition", "selectEditions", "selectHaving",
	"selectHeard", "selectJudged", "SelectOneSet", "selectPersons", "selectServed", "SelectSets", "SelectTurnstile", "setAccounts", "takeFence",
	"updateFence", "upsertAllInForce",
}

// OfFile are the statements that a file alone gets.
var OfFile = []string{"selectMetaValue", "selectNumber", "updateNumber", "upsertDatabase", "upsertStart"}
