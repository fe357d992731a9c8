package cmd

import (
	"go/ast"
	"go/token"
	gotypes "go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// lockPair is two locks of which one was taken while the other one was held: by the folder and the name of their struct, and their own.
type lockPair struct{ held, taken string }

// lockWalk finds pairs of locks.
type lockWalk struct {
	*typedModule
	acquires map[*gotypes.Func]map[string]bool // also by what they call
	pairs    map[lockPair]string               // where
}

// takenTogether returns all pairs of locks in some trees of the module, with a place of each.
func takenTogether(t *testing.T, trees ...string) map[lockPair]string {
	t.Helper()
	w := &lockWalk{typedModule: moduleTypes(t), acquires: map[*gotypes.Func]map[string]bool{}, pairs: map[lockPair]string{}}
	for f, body := range w.bodies {
		tree, _, _ := strings.Cut(strings.TrimPrefix(f.Pkg().Path(), module), "/")
		if slices.Contains(trees, tree) {
			w.follow(body.List, nil)
		}
	}
	return w.pairs
}

// follow goes through statements in their order, and returns what is held behind them.
func (w *lockWalk) follow(list []ast.Stmt, held []string) []string {
	for _, s := range list {
		lock, takes := w.statement(s)
		switch {
		case takes:
			w.note(held, lock, s.Pos())
			held = append(append([]string{}, held...), lock)
			continue
		case lock != "":
			held = without(held, lock)
			continue
		}
		inner := w.inner(s)
		if inner == nil {
			w.calls(s, held)
			continue
		}
		for _, b := range inner {
			after := w.follow(b, held)
			if _, plain := s.(*ast.BlockStmt); plain {
				held = after
			}
		}
		w.heads(s, held)
	}
	return held
}

// statement returns the lock that a statement takes, or gives back; "" when it does neither. What it defers is held to the end.
func (w *lockWalk) statement(s ast.Stmt) (lock string, takes bool) {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return "", false
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	return w.lockOf(c)
}

// inner returns the lists of statements in one; nil for one without any.
func (w *lockWalk) inner(s ast.Stmt) (lists [][]ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return [][]ast.Stmt{s.List}
	case *ast.IfStmt:
		lists = [][]ast.Stmt{s.Body.List}
		if s.Else != nil {
			lists = append(lists, []ast.Stmt{s.Else})
		}
	case *ast.ForStmt:
		return [][]ast.Stmt{s.Body.List}
	case *ast.RangeStmt:
		return [][]ast.Stmt{s.Body.List}
	case *ast.SwitchStmt:
		for _, c := range s.Body.List {
			lists = append(lists, c.(*ast.CaseClause).Body)
		}
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			lists = append(lists, c.(*ast.CommClause).Body)
		}
	}
	return lists
}

// heads goes through what stands before the lists of a statement.
func (w *lockWalk) heads(s ast.Stmt, held []string) {
	switch s := s.(type) {
	case *ast.IfStmt:
		w.calls(s.Init, held)
		w.calls(s.Cond, held)
	case *ast.ForStmt:
		w.calls(s.Init, held)
		w.calls(s.Cond, held)
	case *ast.RangeStmt:
		w.calls(s.X, held)
	case *ast.SwitchStmt:
		w.calls(s.Init, held)
		w.calls(s.Tag, held)
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				w.calls(e, held)
			}
		}
	}
}

// calls notes what is taken by the calls in a node.
func (w *lockWalk) calls(n ast.Node, held []string) {
	if len(held) == 0 || isNothing(n) {
		return
	}
	eachCall(n, func(c *ast.CallExpr) {
		if f := w.callee(c); f != nil {
			for lock := range w.acquired(f) {
				w.note(held, lock, c.Pos())
			}
		}
	})
}

// acquired returns the locks that a function takes, also by what it calls; not those of goroutines that it starts.
func (w *lockWalk) acquired(f *gotypes.Func) map[string]bool {
	if all, ok := w.acquires[f]; ok {
		return all
	}
	all := map[string]bool{}
	w.acquires[f] = all
	if body := w.bodies[f]; body != nil {
		eachCall(body, func(c *ast.CallExpr) {
			if lock, takes := w.lockOf(c); takes {
				all[lock] = true
			} else if g := w.callee(c); g != nil {
				for lock := range w.acquired(g) {
					all[lock] = true
				}
			}
		})
	}
	return all
}

func (w *lockWalk) callee(c *ast.CallExpr) *gotypes.Func {
	id, ok := c.Fun.(*ast.Ident)
	if s, isSelector := c.Fun.(*ast.SelectorExpr); isSelector {
		id, ok = s.Sel, true
	}
	if !ok {
		return nil
	}
	f, ok := w.info.Uses[id].(*gotypes.Func)
	if !ok {
		return nil
	}
	return f.Origin()
}

// lockOf returns the lock that a call takes, or gives back; "" when it does neither.
func (w *lockWalk) lockOf(c *ast.CallExpr) (lock string, takes bool) {
	s, ok := c.Fun.(*ast.SelectorExpr)
	f := w.callee(c)
	if !ok || f == nil || f.Pkg() == nil || f.Pkg().Path() != "sync" {
		return "", false
	}
	switch f.Name() {
	case "Lock", "RLock":
		takes = true
	case "Unlock", "RUnlock":
	default:
		return "", false
	}
	if field, ok := s.X.(*ast.SelectorExpr); ok {
		owner := strings.TrimPrefix(gotypes.TypeString(w.info.TypeOf(field.X), nil), "*")
		owner, _, _ = strings.Cut(strings.TrimPrefix(owner, module), "[")
		return owner + "." + field.Sel.Name, takes
	}
	return "", false // a variable, which is held with no other
}

func (w *lockWalk) note(held []string, lock string, at token.Pos) {
	for _, h := range held {
		if p := (lockPair{h, lock}); w.pairs[p] == "" {
			place := w.set.Position(at)
			w.pairs[p] = filepath.Base(place.Filename) + ":" + strconv.Itoa(place.Line)
		}
	}
}

// eachCall calls f with the calls in a node that are made by who runs it.
func eachCall(n ast.Node, f func(*ast.CallExpr)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			f(n)
		}
		return true
	})
}

func isNothing(n ast.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case ast.Expr:
		return n == nil
	case ast.Stmt:
		return n == nil
	}
	return false
}

// without returns locks without one of them, the last one of its name.
func without(held []string, lock string) []string {
	for i, h := range slices.Backward(held) {
		if h == lock {
			return slices.Concat(held[:i], held[i+1:])
		}
	}
	return held
}
