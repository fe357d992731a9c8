package cmd

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A guarded struct has fields that a mutex guards.
type guarded struct {
	fields map[string]bool // below the mutex, and of nobody else
	around bool            // who calls its methods holds the mutex around all that they do, or one goroutine owns the fields
}

// Whoever shares a value has to know what he may touch: above a mutex stands what is set when the value is made, or has locks of its own,
// below it what it guards, and behind a comment with "belong" what one goroutine owns.
func TestMutexesSayWhatTheyGuard(t *testing.T) {
	structs := 0
	for path, file := range programFiles(t) {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range s.Fields.List {
				if !isMutex(f.Type) {
					continue
				}
				structs++
				if f.Comment == nil || !strings.Contains(f.Comment.Text(), "guards") {
					t.Errorf("%s:%d: say what the mutex guards, like: // guards the fields below", path, file.set.Position(f.Pos()).Line)
				}
			}
			return true
		})
	}
	if structs == 0 {
		t.Error("no struct has a mutex: what is it called now?")
	}
}

// A method that touches what a mutex guards takes a lock, or ends in Locked.
func TestGuardedFieldsAreTouchedWithALock(t *testing.T) {
	all := map[string]*guarded{} // by folder and name
	files := programFiles(t)
	for path, file := range files {
		for _, d := range file.syntax.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					if spec, ok := s.(*ast.TypeSpec); ok {
						if found := guardedBy(spec); found != nil {
							all[filepath.Dir(path)+"."+spec.Name.Name] = found
						}
					}
				}
			}
		}
	}
	touched := 0
	for path, file := range files {
		for _, d := range file.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || f.Recv == nil || len(f.Recv.List[0].Names) == 0 {
				continue
			}
			g := all[filepath.Dir(path)+"."+receiver(f)]
			if g == nil || g.around {
				continue
			}
			name, locks := touches(f, g)
			if name == "" {
				continue
			}
			touched++
			if !locks && !strings.HasSuffix(f.Name.Name, "Locked") {
				t.Errorf("%s:%d: %s touches %s, which a mutex guards: take the lock, or call it %sLocked",
					path, file.set.Position(f.Pos()).Line, f.Name.Name, name, f.Name.Name)
			}
		}
	}
	if touched == 0 {
		t.Error("nobody touches what a mutex guards")
	}
}

// programFiles returns the files of the program: tests share what they share as they like.
func programFiles(t *testing.T) map[string]sourceFile {
	t.Helper()
	files := map[string]sourceFile{}
	for path, file := range sourceFiles(t) {
		if !strings.HasSuffix(path, "_test.go") {
			files[path] = file
		}
	}
	return files
}

// guardedBy returns what the mutex of a struct guards; nil for a struct without one, or with one that guards no field.
func guardedBy(spec *ast.TypeSpec) *guarded {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	var g *guarded
	owned := false
	for _, f := range s.Fields.List {
		if f.Doc != nil && strings.Contains(f.Doc.Text(), "belong") {
			owned = true
		}
		if isMutex(f.Type) {
			g, owned = &guarded{fields: map[string]bool{}}, false
			text := f.Comment.Text()
			g.around = strings.Contains(text, "around") || strings.Contains(text, "belong")
			continue
		}
		for _, name := range f.Names {
			if g != nil && !owned && !locksItself(f.Type) {
				g.fields[name.Name] = true
			}
		}
	}
	return g
}

// touches returns a guarded field that a method touches of its receiver, "" for none, and whether it takes a lock.
func touches(f *ast.FuncDecl, g *guarded) (field string, locks bool) {
	self := f.Recv.List[0].Names[0].Name
	ast.Inspect(f.Body, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && x.Name == self && g.fields[s.Sel.Name] {
			field = s.Sel.Name
		}
		name := s.Sel.Name
		locks = locks || name == "Lock" || name == "RLock" || strings.HasPrefix(name, "lock")
		return true
	})
	return field, locks
}

func receiver(f *ast.FuncDecl) string {
	e := f.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.IndexExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			return id.Name
		}
	case *ast.IndexListExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return ""
}

// isMutex reports whether a type is a mutex of the standard library.
func isMutex(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "sync" && (s.Sel.Name == "Mutex" || s.Sel.Name == "RWMutex")
}

// locksItself reports whether a type needs no lock: an atomic value, a channel, something of sync.
func locksItself(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.ChanType:
		return true
	case *ast.IndexExpr:
		return locksItself(x.X)
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		return ok && (id.Name == "atomic" || id.Name == "sync")
	}
	return false
}
