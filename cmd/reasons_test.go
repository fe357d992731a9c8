package cmd

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sentenceFields are the fields that say something to people: what somebody decides by is a code beside them.
var sentenceFields = map[string]bool{"Reason": true, "Note": true, "Beside": true}

// sentenceReaders are what would find something out of a sentence.
var sentenceReaders = map[string]bool{
	"Contains": true, "ContainsAny": true, "HasPrefix": true, "HasSuffix": true, "Cut": true, "CutPrefix": true, "CutSuffix": true, "TrimPrefix": true, "TrimSuffix": true,
	"Index": true, "LastIndex": true, "EqualFold": true, "Fields": true, "Split": true, "SplitN": true, "SplitSeq": true, "MatchString": true,
}

// searchedSentence is a condition of SQL on one.
var searchedSentence = regexp.MustCompile(`\b(reason|note) LIKE |(WHERE|AND|OR|NOT|\() ?(reason|note) (=|<>|IN|GLOB) *['(]\w`)

// Nobody finds out what happened by the English of a reason: whoever words a sentence anew breaks nothing elsewhere. What was stored before there were
// codes is read in internal/reason alone.
func TestNobodyReadsSentences(t *testing.T) {
	for path, file := range sourceFiles(t) {
		if strings.HasSuffix(path, "_test.go") || filepath.ToSlash(filepath.Dir(path)) == "internal/reason" {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if what := readsSentence(n); what != "" {
				t.Errorf("%s:%d: %s: ask for the code, see internal/reason", path, file.set.Position(n.Pos()).Line, what)
			}
			return true
		})
	}
}

// readsSentence says how a node finds something out of a sentence; "" when it does not.
func readsSentence(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !sentenceReaders[f.Sel.Name] {
			return ""
		}
		for _, arg := range n.Args {
			if name := sentenceIn(arg); name != "" {
				return f.Sel.Name + " looks into " + name
			}
		}
	case *ast.BinaryExpr:
		if n.Op != token.EQL && n.Op != token.NEQ || isNoSentence(n.X) || isNoSentence(n.Y) {
			return ""
		}
		if name := sentenceIn(n.X) + sentenceIn(n.Y); name != "" {
			return name + " is compared"
		}
	case *ast.BasicLit:
		if n.Kind == token.STRING && searchedSentence.MatchString(n.Value) {
			return "SQL searches a sentence"
		}
	}
	return ""
}

// sentenceIn names the field with a sentence that an expression is, or is made of; "" for none.
func sentenceIn(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && sentenceFields[s.Sel.Name] {
			name = s.Sel.Name
		}
		return name == ""
	})
	return name
}

func isNoSentence(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value == `""`
	case *ast.Ident:
		return e.Name == "nil"
	}
	return false
}
