package simulate_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// change is what a mutation does to the place of its marker. Most of them need no name of the source: they go
// on to mean the same when something is renamed, and say so when the place has another shape than they expect.
type change func(s site) ([]edit, error)

// edit puts a text in the place of some bytes of a file.
type edit struct {
	from, to int
	text     string
}

func (s site) edit(from, to token.Pos, text string) []edit {
	return []edit{{s.pos.Offset(from), s.pos.Offset(to), text}}
}

func (s site) around(n ast.Node, before, after string) []edit {
	return s.edit(n.Pos(), n.End(), before+s.text(n)+after)
}

func (s site) misfit(want string) error {
	return fmt.Errorf("want %s, have a %T: %s", want, s.node, s.text(s.node))
}

// change applies a change and returns the file with it.
func (s site) change(do change) ([]byte, error) {
	edits, err := do(s)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(edits, func(x, y edit) int { return y.from - x.from })
	changed, next := slices.Clone(s.content), len(s.content)
	for _, e := range edits { // from the last one
		if e.to > next {
			return nil, errors.New("two changes overlap")
		}
		next = e.from
		changed = slices.Replace(changed, e.from, e.to, []byte(e.text)...)
	}
	return changed, nil
}

// each makes several changes at one place.
func each(all ...change) change {
	return func(s site) (edits []edit, err error) {
		for _, do := range all {
			more, err := do(s)
			if err != nil {
				return nil, err
			}
			edits = append(edits, more...)
		}
		return edits, nil
	}
}

// body returns what is done when the condition at the place holds: no change looks for its part there.
func (s site) body() *ast.BlockStmt {
	switch n := s.node.(type) {
	case *ast.IfStmt:
		return n.Body
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// single returns the one node of a type inside the place.
func single[T ast.Node](s site, fits func(T) bool) (T, error) {
	var found []T
	body := s.body()
	ast.Inspect(s.node, func(n ast.Node) bool {
		if x, ok := n.(T); ok && fits(x) {
			found = append(found, x)
		}
		return n == nil || n != ast.Node(body)
	})
	if len(found) != 1 {
		var none T
		return none, s.misfit(fmt.Sprintf("one %T of that kind instead of %d", none, len(found)))
	}
	return found[0], nil
}

func anyOf[T any](T) bool { return true }

// inner makes a change to what the function literal at the place returns.
func inner(do change) change {
	return func(s site) ([]edit, error) {
		f, err := single(s, anyOf[*ast.FuncLit])
		if err != nil {
			return nil, err
		}
		r, err := single(s.part(f), anyOf[*ast.ReturnStmt])
		if err != nil {
			return nil, err
		}
		return do(s.part(r))
	}
}

// field makes a change to the field of that name in a composite literal at the place.
func field(name string, do change) change {
	return func(s site) ([]edit, error) {
		kv, err := single(s, func(kv *ast.KeyValueExpr) bool { return s.text(kv.Key) == name })
		if err != nil {
			return nil, err
		}
		return do(s.part(kv))
	}
}

// drop leaves out a statement, or a field of a composite literal. The compiler still sees a statement.
func drop(s site) ([]edit, error) { return drops(1)(s) }

// drops leaves out so many statements, from the marked one on.
func drops(n int) change {
	return func(s site) ([]edit, error) {
		switch x := s.node.(type) {
		case *ast.KeyValueExpr:
			rest := s.content[s.pos.Offset(x.End()):]
			comma := len(rest) - len(strings.TrimPrefix(string(rest), ","))
			return s.edit(x.Pos(), x.End()+token.Pos(comma), ""), nil
		case *ast.AssignStmt:
			if x.Tok == token.DEFINE {
				return nil, s.misfit("a statement that declares nothing")
			}
		case *ast.ReturnStmt, *ast.CaseClause, *ast.CommClause, *ast.DeclStmt:
			return nil, s.misfit("a statement to drop")
		case ast.Stmt:
		default:
			return nil, s.misfit("a statement to drop")
		}
		last, err := s.following(n - 1)
		if err != nil {
			return nil, err
		}
		between := string(s.content[s.pos.Offset(s.node.Pos()):s.pos.Offset(last.End())])
		return s.edit(s.node.Pos(), last.End(), "if false { "+between+" }"), nil
	}
}

// following returns the n-th statement behind the place in its block.
func (s site) following(n int) (last ast.Node, err error) {
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		var list []ast.Stmt
		switch b := node.(type) {
		case *ast.BlockStmt:
			list = b.List
		case *ast.CaseClause:
			list = b.Body
		case *ast.CommClause:
			list = b.Body
		}
		if i := slices.IndexFunc(list, func(x ast.Stmt) bool { return x == s.node }); i >= 0 && i+n < len(list) {
			last = list[i+n]
		}
		return last == nil
	})
	if last == nil {
		return nil, s.misfit(fmt.Sprintf("a statement of a block with %d behind it", n))
	}
	return last, nil
}

// deferred puts a call off to the end of its function.
func deferred(s site) ([]edit, error) {
	if _, ok := s.node.(*ast.ExprStmt); !ok {
		return nil, s.misfit("a call")
	}
	return s.around(s.node, "defer ", ""), nil
}

// idle leaves out what the function literal at the place does.
func idle(s site) ([]edit, error) {
	f, err := single(s, anyOf[*ast.FuncLit])
	if err != nil {
		return nil, err
	}
	return s.around(f.Body, "{ if false ", " }"), nil
}

// begin puts code at the beginning of what is done in an if or a case.
func begin(code string) change {
	return func(s site) ([]edit, error) {
		var after token.Pos
		switch n := s.node.(type) {
		case *ast.IfStmt:
			after = n.Body.Lbrace + 1
		case *ast.CaseClause:
			after = n.Colon + 1
		default:
			return nil, s.misfit("an if or a case")
		}
		return s.edit(after, after, " "+code+"; "), nil
	}
}

// unassign leaves out the i-th of so many pairs of an assignment.
func unassign(i, of int) change {
	return func(s site) ([]edit, error) {
		a, ok := s.node.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != of || len(a.Rhs) != of {
			return nil, s.misfit(fmt.Sprintf("an assignment of %d values", of))
		}
		var left, right []string
		for k := range of {
			if k != i-1 {
				left, right = append(left, s.text(a.Lhs[k])), append(right, s.text(a.Rhs[k]))
			}
		}
		return s.edit(a.Pos(), a.End(), strings.Join(left, ", ")+" "+a.Tok.String()+" "+strings.Join(right, ", ")), nil
	}
}

// operator puts another operator between the two operands of the place.
func operator(op string) change {
	return func(s site) ([]edit, error) {
		b, ok := s.node.(*ast.BinaryExpr)
		if !ok {
			return nil, s.misfit("two operands")
		}
		return s.edit(b.OpPos, b.OpPos+token.Pos(len(b.Op.String())), op), nil
	}
}

// returns makes a return statement return something else.
func returns(code string) change {
	return func(s site) ([]edit, error) {
		r, ok := s.node.(*ast.ReturnStmt)
		if !ok || len(r.Results) == 0 {
			return nil, s.misfit("a return with a result")
		}
		return s.edit(r.Results[0].Pos(), r.End(), code), nil
	}
}

// replace puts code in the place of a statement, of a condition or of what a return returns.
func replace(code string) change {
	return func(s site) ([]edit, error) {
		switch s.node.(type) {
		case *ast.ReturnStmt:
			return returns(code)(s)
		case ast.Expr:
			return s.edit(s.node.Pos(), s.node.End(), "("+code+")"), nil
		case *ast.CaseClause:
			return nil, s.misfit("a statement or an expression")
		}
		return s.edit(s.node.Pos(), s.node.End(), code), nil
	}
}

// swap puts code in the place of the one expression of the place that is written like old.
func swap(old, code string) change {
	return func(s site) ([]edit, error) {
		x, err := single(s, func(x ast.Expr) bool { return s.text(x) == old })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", old, err)
		}
		return s.edit(x.Pos(), x.End(), code), nil
	}
}

// reword changes the one text of the place that has old in it.
func reword(old, text string) change {
	return func(s site) ([]edit, error) {
		lit, err := single(s, func(lit *ast.BasicLit) bool { return strings.Count(lit.Value, old) == 1 })
		if err != nil {
			return nil, err
		}
		return s.edit(lit.Pos(), lit.End(), strings.Replace(lit.Value, old, text, 1)), nil
	}
}
